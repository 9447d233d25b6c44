import type { ReasoningSigner } from '../reasoning-signature.ts';
import { firstProblem, isWire, type Wire } from '../request-guards.ts';

interface Context {
  readonly model: string;
}

const strictTemplate = /mistral|devstral|magistral/i;

/** Mistral's templates raise for an ID that is not theirs. */
export function checkCallIds(messages: readonly Wire[], { model }: Context): string | undefined {
  if (!strictTemplate.test(model)) return undefined;
  return firstProblem(callsOf(messages), ({ id }) =>
    typeof id === 'string' && /^[A-Za-z0-9]{9}$/.test(id)
      ? undefined
      : 'Tool call IDs should be alphanumeric strings with length 9!',
  );
}

/** And for two users or two assistants in a row, where neither calls nor results are a turn. */
export function checkTurns(messages: readonly Wire[], { model }: Context): string | undefined {
  if (!strictTemplate.test(model)) return undefined;
  const turns = messages.filter(
    ({ role, tool_calls: calls }) => role === 'user' || (role === 'assistant' && calls === undefined),
  );
  const odd = turns.findIndex(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'));
  return odd === -1
    ? undefined
    : 'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...';
}

/** DeepSeek wants the reasoning of every message with calls back. */
export function checkReasoningBesideCalls(messages: readonly Wire[]): string | undefined {
  const index = messages.findIndex(
    (message) => message['tool_calls'] !== undefined && typeof message['reasoning_content'] !== 'string',
  );
  return index === -1
    ? undefined
    : `Missing \`reasoning_content\` field in the assistant message at message index ${index}`;
}

/** OpenRouter hands details on to vendors, who verify them. */
export function checkSignedDetails(messages: readonly Wire[], signer: ReasoningSigner): string | undefined {
  return firstProblem(messages, ({ reasoning_details: details }, index) =>
    firstProblem(Array.isArray(details) ? (details as readonly unknown[]) : [], (detail, position) => {
      const place = `messages.${index}.reasoning_details.${position}`;
      if (!isWire(detail)) return `${place}: must be an object`;
      const { type, text, data, signature } = detail;
      if (type === 'reasoning.encrypted') return typeof data === 'string' ? undefined : `${place}.data: is required`;
      if (type !== 'reasoning.text') return `${place}.type: ${JSON.stringify(type)} is unknown`;
      const sound = typeof text === 'string' && typeof signature === 'string' && signer.verify(text, signature);
      return sound ? undefined : `Provider returned error: ${place}: Invalid \`signature\` in \`thinking\` block`;
    }),
  );
}

function callsOf(messages: readonly Wire[]): readonly Wire[] {
  return messages.flatMap(({ tool_calls: calls, tool_call_id: id }) => [
    ...(Array.isArray(calls) ? (calls as readonly unknown[]).filter(isWire) : []),
    ...(id === undefined ? [] : [{ id }]),
  ]);
}
