import type { ModelBlock } from '@rondo/protocol';

/** Reasons that end a reply wherever it is. */
const cutting: ReadonlySet<string> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'content_filter',
  'refusal',
]);

/**
 * The blocks of a reply that was cut off: a call that it ends with, and that is not whole beyond doubt, is marked, so
 * that it never runs. Half of a command may well be a command.
 * @param written what the model had written of the last block.
 */
export function markCutOffCall(blocks: readonly ModelBlock[], stopReason: string, written: string): ModelBlock[] {
  const last = blocks.at(-1);
  if (last?.type !== 'tool_call' || !cutting.has(stopReason)) return [...blocks];
  const whole = last.malformed === undefined && last.repaired === undefined && written.trim() !== '';
  if (whole) return [...blocks];
  const { repaired, ...call } = last;
  const text = last.malformed?.text ?? repaired?.text ?? written;
  const error = `the reply was cut off (${stopReason}) before they were whole`;
  return [...blocks.slice(0, -1), { ...call, input: {}, malformed: { text, error } }];
}
