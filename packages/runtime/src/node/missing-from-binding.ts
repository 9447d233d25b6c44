import type { BindingRecord } from '@rondo/protocol';
import { bindingRecordOf, missingForSession } from '../session/binding-record.ts';
import type { Binding } from '../turn/binding.ts';

/**
 * What a session needs of whoever works with it, by its log, that the binding does not offer: agent, hooks, tools,
 * servers, in words. Empty when it fits.
 */
export function missingFromBinding(recorded: BindingRecord, binding: Binding): string[] {
  // Policies may change between turns, so that theirs is nothing to compare.
  return missingForSession(recorded, bindingRecordOf(binding, ''));
}
