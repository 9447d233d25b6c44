import { createRequire } from 'node:module';

let known: string | undefined;

/** This package's version, or the command's that bundles it: all are released together. */
export function packageVersion(): string {
  known ??= (createRequire(import.meta.url)('../package.json') as { version: string }).version;
  return known;
}
