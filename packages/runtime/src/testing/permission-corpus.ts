import { readdirSync, readFileSync } from 'node:fs';
import type { PermissionCase } from './permission-case.ts';

const folder = new URL('../../fixtures/permission-corpus/', import.meta.url);

/**
 * The permission corpus: calls, policies, and what is to come of them, for any engine that judges calls. Read anew from
 * its JSON files by each call: `for (const each of permissionCorpus()) test(each.id, () => checkPermissionCase(each, engine))`.
 *
 * @param area only the cases of one file, such as `wrappers`.
 */
export function permissionCorpus(area?: string): readonly PermissionCase[] {
  const files = area === undefined ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [`${area}.json`];
  return files.toSorted().flatMap((name) => {
    const { cases } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { cases: readonly PermissionCase[] };
    return cases;
  });
}
