import { createTrustStore } from './trust-store.ts';
import type { JudgedFolder } from './judge-folder.ts';

/** Trusts everything that the folder brings in, as it was judged. What changes afterwards has to be trusted again. */
export function trustFolder({ folder, parts }: JudgedFolder, home: string): void {
  const trustedAt = new Date().toISOString();
  const hashes = Object.fromEntries(parts.map(({ name, hash }) => [name, hash]));
  createTrustStore(home).write({ folder, trustedAt, parts: hashes });
}

/**
 * Signs one part anew that Rondo itself has just written. `before` is what the part was when it was read for that: a part
 * that nobody had trusted is not trusted by being written to.
 */
export function signAgain(
  part: { readonly folder: string; readonly name: string; readonly before: string | undefined; readonly hash: string },
  home: string,
): void {
  const store = createTrustStore(home);
  const known = store.read(part.folder);
  const trusted = known?.parts[part.name];
  // What brought nothing in before brings in only what the person has just allowed.
  if (part.before !== undefined && part.before !== trusted) return;
  store.write({
    folder: part.folder,
    trustedAt: known?.trustedAt ?? new Date().toISOString(),
    parts: { ...known?.parts, [part.name]: part.hash },
  });
}
