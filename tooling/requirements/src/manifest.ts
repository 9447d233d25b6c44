import { readFileSync } from 'node:fs';
import type { Mutation } from './mutation/mutation.ts';

/** The wires of which a row that holds on all of them must be shown. */
export const transports = ['memory', 'stdio', 'WebSocket', 'HTTP+SSE'] as const;
export type Transport = (typeof transports)[number];

export interface Row {
  readonly id: string;
  readonly area: string;
  /** What must hold. */
  readonly rule: string;
  /** What a test that names the row must see. */
  readonly observe: string;
  /** `all`: on each wire. `local`: where client and runtime share a process. `n/a`: no session takes part. */
  readonly transports: 'all' | 'local' | 'n/a';
  readonly grade: string;
}

export interface NotOurs {
  readonly id: string;
  /** What of the row is left out; a row whose rest is ours is still to be shown. */
  readonly part: string;
  readonly why: string;
}

export interface Manifest {
  readonly rows: readonly Row[];
  readonly notOurs: readonly NotOurs[];
  /** For some rows of each area, what their tests must notice. */
  readonly mutations: readonly Mutation[];
}

export function readManifest(path: string): Manifest {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const ids = new Set<string>();
  for (const { id } of manifest.rows) {
    if (ids.has(id)) throw new Error(`${path}: the row ${id} stands twice`);
    ids.add(id);
  }
  for (const { id } of manifest.notOurs)
    if (!ids.has(id)) throw new Error(`${path}: notOurs names ${id}, which is no row`);
  for (const { row } of manifest.mutations)
    if (!ids.has(row)) throw new Error(`${path}: a mutation is of ${row}, which is no row`);
  return manifest;
}

/** The rows that are to be shown, with all of it or with a part. */
export function ourRows({ rows, notOurs }: Manifest): readonly Row[] {
  const whole = new Set(notOurs.filter(({ part }) => part === 'all of it').map(({ id }) => id));
  return rows.filter(({ id }) => !whole.has(id));
}
