import type { IsTrusted } from '../settings/apply-trust.ts';
import { type JudgedFolder, partName } from './judge-folder.ts';

/** For `applyTrust`: a layer counts whole where its part is trusted, or where it brings nothing that needs trust. */
export function isTrustedIn({ cwd, parts }: JudgedFolder): IsTrusted {
  return (layer) => {
    const part = parts.find(({ name }) => name === partName(layer, cwd));
    return part === undefined || part.state === 'trusted';
  };
}

/** What is left out and the way on, for people; undefined where nothing is. */
export function untrustedMessage({ folder, parts }: JudgedFolder): string | undefined {
  const waiting = parts.filter(({ state }) => state !== 'trusted');
  if (waiting.length === 0) return undefined;
  const said = waiting.map(({ name, state }) =>
    state === 'changed' ? `${name} (changed since it was trusted)` : name,
  );
  return (
    `${folder} is not trusted: of ${said.join(', ')} only what narrows counts, and nothing of it runs. ` +
    'Look at it, and trust it, with `rondo trust`.'
  );
}
