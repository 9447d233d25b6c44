/**
 * This package's version, and of all that is released with it. A constant, since a program that is bundled to one file has
 * no manifest beside it; `npm run versions` raises it with the manifests, and a test holds the two together.
 */
export const packageVersion = '0.1.0';
