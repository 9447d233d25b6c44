import type { JsonObject } from '@rondo/protocol';
import { anyObject, anyText, exact, oneOf, type Shape } from '../shape.ts';
import type { Wire } from '../request-guards.ts';
import { checkCallIds, checkReasoningBesideCalls, checkSignedDetails, checkTurns } from './check-history.ts';
import { checkGrammar, checkPropertiesAreObjects } from './check-schema.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';

/** How a server says things. What is not given is as OpenAI says it. */
export interface Manner {
  /** Where reasoning stands; `details` beside the text, `tags` inside the content. */
  readonly reasoning: 'reasoning' | 'reasoning_content' | 'details' | 'tags';
  /** Members of every delta that has nothing to say about them. */
  readonly everyDelta?: JsonObject;
  /** The first delta. */
  readonly opening: JsonObject;
  /** Sends a call in one piece. */
  readonly wholeCalls?: true;
  /** Sends calls without ID and number, and their input as an object. */
  readonly bareCalls?: true;
  /** Says `stop` although there are calls. */
  readonly alwaysStops?: true;
  /** In a chunk of its own without choices, in the chunk with the reason, or where Groq and llamacpp have it. */
  readonly usage: 'last' | 'with-reason' | 'beside' | 'x_groq' | 'timings';
  /** Leaves out the mark at the end. */
  readonly noMark?: true;
  /** The chunk around a choice. */
  chunk(choices: readonly JsonObject[], named: { readonly id: string; readonly model: string }): JsonObject;
  /** Members of every choice. */
  readonly everyChoice?: JsonObject;
}

/** One server's way of speaking the wire, and what it refuses beyond what OpenAI's reference says. */
export interface Flavour {
  readonly manner: Manner;
  /** Fields of a request that OpenAI's reference does not have. */
  readonly fields?: Readonly<Record<string, Shape>>;
  /** Fields of an assistant message of that sort. */
  readonly assistantFields?: Readonly<Record<string, Shape>>;
  /** An assistant message must have content that is no null. */
  readonly noNull?: true;
  /** What an image's URL looks like. */
  readonly images?: RegExp;
  readonly checkTool?: (schema: Wire, place: string) => string | undefined;
  readonly checkHistory?: (
    messages: readonly Wire[],
    context: { readonly model: string; readonly signer: ReasoningSigner },
  ) => string | undefined;
  errorBody(error: { readonly type: string; readonly message: string }, status: number): JsonObject;
}

const created = 1_764_500_000;
const object = 'chat.completion.chunk';

const openaiManner: Manner = {
  reasoning: 'reasoning_content',
  opening: { role: 'assistant', content: '', refusal: null },
  usage: 'last',
  everyChoice: { logprobs: null },
  chunk: (choices, { id, model }) => ({ id, object, created, model, system_fingerprint: 'fp_rondo', choices }),
};

const openaiError: Flavour['errorBody'] = ({ type, message }) => ({
  error: { message, type, param: null, code: null },
});

const templateArguments = {
  chat_template_kwargs: anyObject,
};

/** By the first part of the path; the empty one is OpenAI's own way. */
export const flavours: Readonly<Record<string, Flavour>> = {
  '': { manner: openaiManner, errorBody: openaiError },
  ollama: {
    manner: {
      ...openaiManner,
      reasoning: 'reasoning',
      opening: { role: 'assistant', content: '' },
      everyDelta: { role: 'assistant', content: '' },
      everyChoice: {},
      wholeCalls: true,
    },
    assistantFields: { reasoning: anyText },
    images: /^data:image\/(jpeg|jpg|png|webp);base64,/,
    checkTool: checkPropertiesAreObjects,
    errorBody: openaiError,
  },
  lmstudio: {
    manner: { ...openaiManner, reasoning: 'tags', opening: { role: 'assistant' } },
    noNull: true,
    checkTool: checkGrammar,
    errorBody: ({ message }) => ({ error: message }),
  },
  llamacpp: {
    manner: {
      reasoning: 'reasoning_content',
      opening: { role: 'assistant', content: null },
      usage: 'timings',
      chunk: (choices, { id, model }) => ({ choices, created, id, model, system_fingerprint: 'b1-rondo', object }),
    },
    fields: templateArguments,
    assistantFields: { reasoning_content: anyText },
    checkTool: checkGrammar,
    checkHistory: (messages, context) => checkCallIds(messages, context) ?? checkTurns(messages, context),
    errorBody: ({ type, message }, status) => ({ error: { code: status, message, type } }),
  },
  vllm: {
    manner: {
      ...openaiManner,
      reasoning: 'reasoning',
      opening: { role: 'assistant', content: '' },
      everyChoice: { logprobs: null, stop_reason: null, token_ids: null },
    },
    fields: templateArguments,
    assistantFields: { reasoning: anyText, reasoning_content: anyText },
    checkHistory: (messages, context) => checkCallIds(messages, context) ?? checkTurns(messages, context),
    errorBody: ({ type, message }, status) => ({ error: { message, type, param: null, code: status } }),
  },
  openrouter: {
    manner: {
      reasoning: 'details',
      opening: { role: 'assistant', content: '' },
      everyDelta: { role: 'assistant', content: '' },
      everyChoice: { native_finish_reason: null },
      usage: 'beside',
      chunk: (choices, { id, model }) => ({ id, object, created, model, provider: 'Rondo', choices }),
    },
    fields: {
      reasoning: anyObject,
      session_id: anyText,
      cache_control: exact({ type: oneOf('ephemeral') }, { ttl: oneOf('5m', '1h') }),
    },
    assistantFields: {
      reasoning: anyText,
      reasoning_details: (value, place) => (Array.isArray(value) ? undefined : `${place}: must be a list`),
    },
    checkHistory: (messages, { signer }) => checkSignedDetails(messages, signer),
    errorBody: ({ message }, status) => ({ error: { message, code: status } }),
  },
  deepseek: {
    manner: {
      ...openaiManner,
      opening: { role: 'assistant', content: null, reasoning_content: '' },
      everyDelta: { content: null },
      usage: 'with-reason',
    },
    fields: { thinking: exact({ type: oneOf('enabled', 'disabled') }) },
    assistantFields: { reasoning_content: anyText },
    images: /^no image$/,
    checkHistory: (messages) => checkReasoningBesideCalls(messages),
    errorBody: ({ type, message }) => ({ error: { message, type, param: null, code: 'invalid_request_error' } }),
  },
  groq: {
    manner: { ...openaiManner, reasoning: 'reasoning', wholeCalls: true, usage: 'x_groq' },
    errorBody: ({ type, message }) => ({ error: { message, type } }),
  },
  /** No server alone, but each of its habits is some server's. */
  sloppy: {
    manner: {
      reasoning: 'tags',
      opening: {},
      bareCalls: true,
      alwaysStops: true,
      usage: 'with-reason',
      noMark: true,
      chunk: (choices) => ({ choices }),
    },
    errorBody: ({ message }) => ({ detail: message }),
  },
};
