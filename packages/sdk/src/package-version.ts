import { readFileSync } from 'node:fs';

/** Beside the sources or the build of this package; or, in the command's bundle, above its folder of chunks. */
const places = ['../package.json', '../../package.json'];

let known: string | undefined;

/** This package's version, or the command's that bundles it: all are released together. */
export function packageVersion(): string {
  known ??= readVersion();
  return known;
}

function readVersion(): string {
  for (const place of places) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
    } catch {
      // Not there: the next place has it.
    }
  }
  throw new Error(`no package.json with a version was found for ${import.meta.url}`);
}
