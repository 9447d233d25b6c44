/** Stands in every line of the tree but the first of a file. */
export const commonWord = 'compute';
/** Stands in one line of every so many files. */
export const rareWord = 'discover';
export const rareEvery = 500;
export const filesAFolder = 50;
