import type { OpenCallback } from '@rondo/protocol';

/** A question's ID, also of a kind this version does not know; empty where it has none. */
export function callbackId(callback: OpenCallback): string {
  if (callback.type !== 'unknown') return callback.id;
  const { raw } = callback;
  if (typeof raw !== 'object' || raw === null || !('id' in raw)) return '';
  return typeof raw.id === 'string' ? raw.id : '';
}
