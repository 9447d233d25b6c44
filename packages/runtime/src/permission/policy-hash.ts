import { canonicalJson } from '@rondo/protocol/values';
import type { Policy } from './policy.ts';

/** One text for equal policies, as `sha256` (hexadecimal) of their canonical JSON. */
export function policyHash(policy: Policy, sha256: (text: string) => string): string {
  const { sources, mode, directories, home, allowsBypass } = policy;
  return sha256(
    canonicalJson({
      mode,
      directories,
      ...(home === undefined ? {} : { home }),
      ...(allowsBypass === undefined ? {} : { allowsBypass }),
      sources: sources.map(({ name, evaluation, rules, fallback, root }) => ({
        name,
        evaluation,
        ...(fallback === undefined ? {} : { fallback }),
        ...(root === undefined ? {} : { root }),
        rules: rules.map((rule) => ({ ...rule })),
      })),
    }),
  );
}
