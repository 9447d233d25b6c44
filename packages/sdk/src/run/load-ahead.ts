import { loadEventPointsFor, type Binding } from '@rondo/runtime';
import { loadSqlite } from '@rondo/runtime/node';
import type { Options } from '../options/options.ts';

/** Loads what a first turn with this binding would load before its first request. Opens nothing. */
export async function loadAhead({ persistSession }: Options, binding: Binding): Promise<void> {
  await Promise.all([loadEventPointsFor(binding), persistSession === false ? undefined : loadSqlite()]);
}
