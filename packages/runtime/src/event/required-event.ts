import type { AnyEvent } from '@rondo/protocol';

/** True for an event that its writer marked as one that must be understood, and that this version does not. */
export function isRequiredUnknown(event: AnyEvent): boolean {
  if (event.type !== 'unknown') return false;
  const { raw } = event;
  return typeof raw === 'object' && raw !== null && 'required' in raw && raw.required === true;
}
