import type { StopReason } from '@rondo/runtime';
import type { WireError } from '../dialect/dialect.ts';

const reasons: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  eos: 'end_turn',
  eos_token: 'end_turn',
  end_turn: 'end_turn',
  tool_calls: 'end_turn',
  function_call: 'end_turn',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  content_filter: 'refusal',
};

/** Words by which a server says that it gave up. */
const failures: Readonly<Record<string, string>> = {
  error: 'the server stopped because of an error that it does not name',
  insufficient_system_resource: 'the server ran out of resources in the middle of the reply',
};

/**
 * What a server's reason means. Whether there are calls is told by the calls: servers say `stop` although there are
 * some, and `tool_calls` although there are none. No reason at all is one that the server forgot.
 */
export function stopReasonOf(
  reason: string | undefined,
  hasCalls: boolean,
): { readonly reason: StopReason; readonly error?: WireError } {
  const word = reason ?? 'stop';
  const message = Object.hasOwn(failures, word) ? failures[word] : undefined;
  const known = (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? word;
  return {
    reason: hasCalls && known === 'end_turn' ? 'tool_use' : known,
    ...(message !== undefined && { error: { type: word, message } }),
  };
}
