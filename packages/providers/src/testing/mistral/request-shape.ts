import { isText, namePattern } from '../request-guards.ts';
import {
  anyObject,
  anything,
  anyText,
  byType,
  exact,
  listOf,
  matching,
  oneOf,
  orNull,
  textOr,
  trueOrFalse,
  wholeNumber,
  type Shape,
} from '../shape.ts';
import { responseFormat } from '../output-schema.ts';

/**
 * What Mistral's chat completions take, written down from its public reference: every field by name, so that one it does
 * not know is refused. Rules over several messages stand beside it.
 */
const kind = anyText;
const words: Shape = (value, place) => (isText(value) ? undefined : `${place}: must be a text with something in it`);
const callId = matching(/^[a-zA-Z0-9]{9}$/);
const toolName = matching(namePattern);
const mayBeNumber: Shape = (value, place) =>
  value === null || typeof value === 'number' ? undefined : `${place}: must be a number`;

const text = exact({ type: kind, text: anyText });
const imageUrl = exact({ type: kind, image_url: textOr(exact({ url: anyText }, { detail: orNull(anyText) })) });
const documentUrl = exact({ type: kind, document_url: anyText }, { document_name: orNull(anyText) });
const reference = exact({ type: kind, reference_ids: listOf(anything) });
const file = exact({ type: kind, file_id: anyText });
const audio = exact({ type: kind, input_audio: anyText });
const thinking = exact(
  { type: kind, thinking: listOf(byType({ text, reference })) },
  { closed: trueOrFalse, signature: orNull(anyText) },
);
const userChunk = byType({ text, image_url: imageUrl, document_url: documentUrl, reference, file, input_audio: audio });
const assistantChunk = byType({ text, thinking, reference, image_url: imageUrl });

const toolCall = exact(
  { id: callId, function: exact({ name: toolName, arguments: textOr(anyObject) }) },
  { type: oneOf('function'), index: wholeNumber() },
);

const messages: Readonly<Record<string, Shape>> = {
  system: exact({ role: kind, content: textOr(listOf(byType({ text, thinking }))) }),
  user: exact({ role: kind, content: textOr(listOf(userChunk)) }),
  assistant: exact(
    { role: kind },
    { content: orNull(textOr(listOf(assistantChunk))), tool_calls: orNull(listOf(toolCall)), prefix: trueOrFalse },
  ),
  tool: exact({ role: kind, content: textOr(listOf(userChunk)), tool_call_id: callId }, { name: orNull(toolName) }),
};

const message: Shape = (value, place) => {
  const role = typeof value === 'object' && value !== null && 'role' in value ? value.role : undefined;
  const shape = typeof role === 'string' && Object.hasOwn(messages, role) ? messages[role] : undefined;
  return shape === undefined
    ? `${place}.role: ${JSON.stringify(role)} is none of system, user, assistant, tool`
    : shape(value, place);
};

const functionTool = exact({
  type: oneOf('function'),
  function: exact({ name: toolName, parameters: anyObject }, { description: anyText, strict: trueOrFalse }),
});

export const requestShape: Shape = exact(
  { model: words, messages: listOf(message), stream: oneOf(true) },
  {
    temperature: mayBeNumber,
    top_p: mayBeNumber,
    max_tokens: orNull(wholeNumber()),
    stop: orNull(textOr(listOf(anyText))),
    random_seed: orNull(wholeNumber()),
    metadata: orNull(anyObject),
    response_format: responseFormat,
    tools: orNull(listOf(functionTool)),
    tool_choice: textOr(anyObject),
    presence_penalty: mayBeNumber,
    frequency_penalty: mayBeNumber,
    n: orNull(wholeNumber(1)),
    prediction: anyObject,
    parallel_tool_calls: trueOrFalse,
    reasoning_effort: orNull(oneOf('none', 'low', 'medium', 'high', 'max')),
    prompt_mode: orNull(oneOf('reasoning')),
    guardrails: orNull(listOf(anyObject)),
    prompt_cache_key: orNull(anyText),
    service_tier: orNull(anyText),
    safe_prompt: trueOrFalse,
  },
);
