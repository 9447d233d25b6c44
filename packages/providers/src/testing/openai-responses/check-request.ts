import { checkCharacters, isWire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import {
  anyObject,
  anything,
  anyText,
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
import { textFormat } from '../output-schema.ts';
import { checkInput } from './check-input.ts';
import { checkTools } from './check-tools.ts';

const aNumber: Shape = (value, place) => (typeof value === 'number' ? undefined : `${place}: must be a number`);
const cacheKey = orNull(matching(/^.{0,64}$/s));

const reasoning = orNull(
  exact(
    {},
    {
      context: oneOf('auto', 'current_turn', 'all_turns', null),
      effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null),
      generate_summary: oneOf('auto', 'concise', 'detailed', null),
      mode: anyText,
      summary: oneOf('auto', 'concise', 'detailed', null),
    },
  ),
);

/** Parameters of both a reply and a count of its tokens. */
const common: Readonly<Record<string, Shape>> = {
  conversation: orNull(textOr(anyObject)),
  input: anything,
  instructions: orNull(anyText),
  parallel_tool_calls: orNull(trueOrFalse),
  previous_response_id: orNull(anyText),
  reasoning,
  text: orNull(textFormat),
  tool_choice: orNull(textOr(anyObject)),
  tools: anything,
  truncation: oneOf('auto', 'disabled', null),
};

const replyParameters = exact(
  { model: matching(/\S/), stream: oneOf(true) },
  {
    ...common,
    access_programs: anyObject,
    background: orNull(trueOrFalse),
    background_options: anyObject,
    context_management: orNull(listOf(anyObject)),
    image: anyObject,
    include: orNull(
      listOf(
        oneOf(
          'file_search_call.results',
          'web_search_call.results',
          'web_search_call.action.sources',
          'message.input_image.image_url',
          'computer_call_output.output.image_url',
          'code_interpreter_call.outputs',
          'reasoning.encrypted_content',
          'message.output_text.logprobs',
        ),
      ),
    ),
    max_output_tokens: orNull(wholeNumber(16)),
    max_tool_calls: orNull(wholeNumber(1)),
    metadata: orNull(anyObject),
    moderation: orNull(anyObject),
    prompt: orNull(anyObject),
    prompt_cache_key: cacheKey,
    prompt_cache_options: anyObject,
    prompt_cache_retention: oneOf('in_memory', '24h', null),
    safety_identifier: cacheKey,
    service_tier: oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast', null),
    store: orNull(trueOrFalse),
    stream_options: orNull(exact({}, { include_obfuscation: trueOrFalse })),
    temperature: orNull(aNumber),
    top_logprobs: orNull(wholeNumber()),
    top_p: orNull(aNumber),
    user: anyText,
  },
);

const countParameters = exact({}, { ...common, model: orNull(matching(/\S/)), personality: anyText });

/**
 * What is wrong with a request for a reply by the rules of the public API reference, or undefined. It is as strict as
 * the API in what it checks, and takes no conversation that is kept on the vendor's side.
 */
export function checkRequest(body: unknown, signer: ReasoningSigner): string | undefined {
  return replyParameters(body, '') ?? checkModel(body) ?? checkRest(body, signer);
}

/** The same for a request that asks how many tokens its input is. */
export function checkCount(body: unknown, signer: ReasoningSigner): string | undefined {
  return countParameters(body, '') ?? checkRest(body, signer);
}

function checkRest(body: unknown, signer: ReasoningSigner): string | undefined {
  if (!isWire(body)) return 'the body is not a JSON object';
  const { previous_response_id: previous, conversation, input, tools } = body;
  if (typeof previous === 'string') return `Previous response with id '${previous}' not found.`;
  if (conversation !== undefined && conversation !== null) return 'conversation: this server keeps none';
  return checkTools(tools) ?? checkInput(input, signer) ?? checkCharacters(body, 'body');
}

/** Models that do not reason take nothing that is about it. */
function checkModel(body: unknown): string | undefined {
  if (!isWire(body) || !/^(gpt-3|gpt-4|chatgpt-)/.test(String(body['model']))) return undefined;
  const { include, reasoning: asked } = body;
  if (Array.isArray(include) && include.includes('reasoning.encrypted_content'))
    return 'Encrypted content is not supported with this model.';
  return isWire(asked) && Object.keys(asked).length > 0
    ? `Unsupported parameter: 'reasoning.${Object.keys(asked)[0]}' is not supported with this model.`
    : undefined;
}
