import { canonicalJson } from '@rondo/protocol/values';
import type { Policy } from './policy.ts';

/** A policy is a value that never changes, and every decision names its hash. */
const hashes = new WeakMap<Policy, string>();

/** One text for equal policies, as `sha256` (hexadecimal) of their canonical JSON. */
export function policyHash(policy: Policy, sha256: (text: string) => string): string {
  const known = hashes.get(policy);
  if (known !== undefined) return known;
  const hash = sha256(policyText(policy));
  hashes.set(policy, hash);
  return hash;
}

function policyText({
  sources,
  mode,
  narrowedBy,
  directories,
  home,
  sandbox,
  protected: places,
  allowsBypass,
  allowsAuto,
}: Policy): string {
  return canonicalJson({
    mode,
    ...(narrowedBy === undefined ? {} : { narrowedBy }),
    directories,
    ...(home === undefined ? {} : { home }),
    ...(allowsBypass === undefined ? {} : { allowsBypass }),
    ...(allowsAuto === undefined ? {} : { allowsAuto }),
    ...(sandbox === undefined ? {} : { sandbox: { ...sandbox } }),
    ...(places === undefined ? {} : { protected: places }),
    sources: sources.map(({ name, evaluation, rules, fallback, root }) => ({
      name,
      evaluation,
      ...(fallback === undefined ? {} : { fallback }),
      ...(root === undefined ? {} : { root }),
      rules: rules.map((rule) => ({ ...rule })),
    })),
  });
}
