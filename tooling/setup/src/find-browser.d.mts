/** Path of a Chromium on this machine: what `RONDO_BROWSER` names, or where packages put one. Undefined where there is none. */
export function findBrowser(env?: Readonly<Record<string, string | undefined>>): string | undefined;
