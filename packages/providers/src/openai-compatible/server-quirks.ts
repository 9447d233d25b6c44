import type { JsonObject } from '@rondo/protocol';
import type { Effort } from '@rondo/runtime';
import type { SchemaRules } from '../dialect/reduce-schema.ts';
import { isLoopbackUrl } from '../provider-variables.ts';

/** How a server is told how much to reason. An absent field leaves that to the model. */
export interface ReasoningParameters {
  /** Where the level goes, and the levels it takes, lowest first. */
  readonly effort?: {
    readonly field: 'reasoning_effort' | 'reasoning' | 'chat_template_kwargs';
    readonly levels: readonly Effort[];
  };
  /** Added to the body when reasoning is wanted, or not wanted. */
  readonly on?: JsonObject;
  readonly off?: JsonObject;
  /** Takes a number of tokens, as `reasoning.max_tokens`. */
  readonly budget?: true;
}

/** What sets one server that speaks chat completions apart from another. Code asks this table, never a name. */
export interface ServerQuirks {
  /** For people. */
  readonly title: string;
  readonly baseUrl?: string;
  /** Runs on the machine of whoever uses it, by default on that port of loopback. */
  readonly port?: number;
  /** Hosts that are this server whatever it is called. */
  readonly hosts: readonly string[];
  /** Milliseconds of silence that are no fault: it loads a model, reads a long prompt, or holds a call until it is whole. */
  readonly patienceMs?: number;
  /** Where its key usually is. Absent: it needs none. */
  readonly keyVariable?: string;
  readonly tokenLimit: 'max_tokens' | 'max_completion_tokens';
  /** Takes `stream_options.include_usage`; without it such a server sends no usage. */
  readonly asksUsage: boolean;
  readonly systemRole: 'system' | 'developer';
  /** Stands beside tool calls where the model wrote no text. */
  readonly emptyContent: null | '';
  /** Media types of images that a user message takes. */
  readonly images: readonly string[];
  /** What it cannot read, or cannot make a grammar of, in the schema of a tool. */
  readonly schema: SchemaRules;
  /**
   * Whether the server takes a schema for the model's answer: never, `always`, or `alone`, with no tools beside it. The
   * grammar of a server on one's own machine holds for calls, too, so that with it no tool could be called.
   */
  readonly outputFormat?: 'always' | 'alone';
  /** Extra fields of every request. */
  readonly body?: JsonObject;
  /** The field that names a conversation. */
  readonly sessionField?: 'session_id' | 'prompt_cache_key';
  readonly reasoning: ReasoningParameters;
  /** Whether reasoning goes back in the field it came in, as the list of its details, or not at all. */
  readonly returnsReasoning: 'never' | 'in-its-field' | 'as-details';
  /** The field that every message with calls must have, be it empty, also where another model wrote it. */
  readonly reasoningBesideCalls?: 'reasoning_content';
  /** Its models' reasoning may come inside the text, between `<think>` and `</think>`. */
  readonly thinkTags: boolean;
  /** Only calls with an ID of nine letters and digits. */
  readonly shortCallIds: boolean;
  /** Users and assistants must take turns, and what a tool says is no turn: a word of the assistant goes in between. */
  readonly strictTurns: boolean;
}

type Difference = Partial<ServerQuirks>;

const pictures: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const lowToHigh: readonly Effort[] = ['low', 'medium', 'high'];

/** A server of which nothing is known: what OpenAI's reference says, in the words that the oldest servers know. */
const plainServer: ServerQuirks = {
  title: 'The server',
  hosts: [],
  tokenLimit: 'max_tokens',
  asksUsage: true,
  systemRole: 'system',
  emptyContent: null,
  images: pictures,
  schema: {},
  reasoning: { effort: { field: 'reasoning_effort', levels: lowToHigh } },
  returnsReasoning: 'never',
  thinkTags: true,
  shortCallIds: false,
  strictTurns: false,
};

/** A large prompt on a small machine takes minutes until the first word. */
export const localPatienceMs = 600_000;

const templateSwitch: ReasoningParameters = {
  on: { chat_template_kwargs: { enable_thinking: true } },
  off: { chat_template_kwargs: { enable_thinking: false } },
};

/**
 * llama.cpp turns all tools of a request into one grammar, and refuses the request where that fails: regular
 * expressions that it cannot read, and bounds that repeat a rule too often (ggml-org/llama.cpp issues 25923, 27087).
 */
const grammarRules: SchemaRules = {
  droppedKeywords: [
    'pattern',
    'format',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'patternProperties',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
    'contentEncoding',
    'contentMediaType',
  ],
};

/** By kind, what differs from {@link plainServer}. A kind with a base URL is also the name of a server nobody configured. */
const servers: Readonly<Record<string, Difference>> = {
  ollama: {
    title: 'Ollama',
    outputFormat: 'alone',
    baseUrl: 'http://127.0.0.1:11434/v1',
    port: 11_434,
    patienceMs: localPatienceMs,
    images: [],
    // Its tools are read into fixed structures: a property is an object, and `$ref`, `oneOf` and `allOf` are lost.
    schema: { inlineReferences: true, objectSchemasOnly: true, droppedKeywords: ['oneOf', 'allOf'] },
    reasoning: {
      effort: { field: 'reasoning_effort', levels: lowToHigh },
      off: { reasoning_effort: 'none' },
    },
    returnsReasoning: 'in-its-field',
  },
  lmstudio: {
    title: 'LM Studio',
    outputFormat: 'alone',
    baseUrl: 'http://127.0.0.1:1234/v1',
    port: 1234,
    patienceMs: localPatienceMs,
    emptyContent: '',
    images: [],
    schema: grammarRules,
  },
  llamacpp: {
    title: 'llama.cpp',
    outputFormat: 'alone',
    baseUrl: 'http://127.0.0.1:8080/v1',
    port: 8080,
    patienceMs: localPatienceMs,
    images: [],
    schema: grammarRules,
    body: { parallel_tool_calls: true },
    reasoning: { ...templateSwitch, effort: { field: 'chat_template_kwargs', levels: lowToHigh } },
    returnsReasoning: 'in-its-field',
  },
  vllm: {
    title: 'vLLM',
    outputFormat: 'alone',
    baseUrl: 'http://127.0.0.1:8000/v1',
    port: 8000,
    patienceMs: localPatienceMs,
    images: [],
    reasoning: { ...templateSwitch, effort: { field: 'reasoning_effort', levels: lowToHigh } },
    returnsReasoning: 'in-its-field',
  },
  openrouter: {
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    hosts: ['openrouter.ai'],
    keyVariable: 'OPENROUTER_API_KEY',
    sessionField: 'session_id',
    reasoning: {
      effort: { field: 'reasoning', levels: ['low', 'medium', 'high', 'xhigh'] },
      on: { reasoning: { enabled: true } },
      off: { reasoning: { enabled: false } },
      budget: true,
    },
    returnsReasoning: 'as-details',
    thinkTags: false,
  },
  deepseek: {
    title: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    hosts: ['api.deepseek.com'],
    keyVariable: 'DEEPSEEK_API_KEY',
    images: [],
    reasoning: {
      effort: { field: 'reasoning_effort', levels: ['low', 'high', 'max'] },
      on: { thinking: { type: 'enabled' } },
      off: { thinking: { type: 'disabled' } },
    },
    returnsReasoning: 'in-its-field',
    reasoningBesideCalls: 'reasoning_content',
    thinkTags: false,
  },
  groq: {
    title: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    hosts: ['api.groq.com'],
    keyVariable: 'GROQ_API_KEY',
    tokenLimit: 'max_completion_tokens',
    images: [],
    reasoning: {},
  },
  openai: {
    title: 'OpenAI',
    outputFormat: 'always',
    hosts: ['api.openai.com'],
    keyVariable: 'OPENAI_API_KEY',
    tokenLimit: 'max_completion_tokens',
    systemRole: 'developer',
    sessionField: 'prompt_cache_key',
    reasoning: {
      effort: { field: 'reasoning_effort', levels: ['low', 'medium', 'high', 'xhigh'] },
      off: { reasoning_effort: 'none' },
    },
    thinkTags: false,
  },
};

interface ModelDifference {
  /** The kinds it is about; all when not given. */
  readonly kinds?: readonly string[];
  readonly model: RegExp;
  readonly differs: Difference;
}

const ownMachine = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];

/** What a family of models brings along wherever it is served. Later rows count for more. */
const families: readonly ModelDifference[] = [
  {
    kinds: [...ownMachine, 'groq'],
    model:
      /(^|[^a-z])(vl|vision|llava|bakllava|moondream|minicpm-v|pixtral|gemma-?[34]|llama-?4|mllama|qwen-?3\.[5-9])/i,
    differs: { images: pictures },
  },
  {
    // Ollama reads JPEG, PNG and WebP.
    kinds: ['ollama'],
    model: /(^|[^a-z])(vl|vision|llava|bakllava|moondream|minicpm-v|gemma-?[34]|llama-?4|qwen-?3\.[5-9])/i,
    differs: { images: ['image/png', 'image/jpeg', 'image/webp'] },
  },
  {
    // Their templates raise for IDs of another form, and count neither calls nor results as turns.
    kinds: ['lmstudio', 'llamacpp', 'vllm'],
    model: /mistral|mixtral|ministral|magistral|devstral|codestral|pixtral/i,
    differs: { shortCallIds: true, strictTurns: true },
  },
  {
    kinds: ['groq'],
    model: /gpt-oss/i,
    differs: { reasoning: { effort: { field: 'reasoning_effort', levels: lowToHigh } } },
  },
  { kinds: ['groq'], model: /qwen/i, differs: { reasoning: { off: { reasoning_effort: 'none' } } } },
  // Of other vendors' models only some take a schema, and a request with one fails for the rest.
  { kinds: ['openrouter'], model: /^~?(openai|anthropic|google)\//i, differs: { outputFormat: 'always' } },
  // Marks the prompt for Anthropic's cache, which nothing is read from unasked.
  {
    kinds: ['openrouter'],
    model: /^~?anthropic\//i,
    differs: { body: { cache_control: { type: 'ephemeral' } } },
  },
];

/** Every kind that is known. */
export const serverKinds: readonly string[] = Object.keys(servers);
/** Those that can be named without being configured. */
export const namedServers: readonly string[] = serverKinds.filter((kind) => servers[kind]?.baseUrl !== undefined);

/** A server of a vendor that can be named with nothing but its key set. */
export interface HostedServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly keyVariable: string;
}

export const hostedServers: readonly HostedServer[] = Object.entries(servers).flatMap(
  ([name, { baseUrl, keyVariable }]) =>
    baseUrl === undefined || keyVariable === undefined ? [] : [{ name, baseUrl, keyVariable }],
);

export function isServerKind(name: string): boolean {
  return Object.hasOwn(servers, name);
}

/** The row of a server, with what its model brings along; of an unknown server without a kind. */
export function serverQuirks(kind: string | undefined, model = ''): ServerQuirks {
  const own = kind !== undefined && Object.hasOwn(servers, kind) ? servers[kind] : {};
  const brought = families.filter((family) => family.model.test(model) && (family.kinds?.includes(kind ?? '') ?? true));
  return Object.assign({}, plainServer, own, ...brought.map(({ differs }) => differs)) as ServerQuirks;
}

/** Which server stands behind a base URL: by its host, or on this machine by its port. */
export function serverKindAt(url: URL): string | undefined {
  const here = isLoopbackUrl(url.href);
  return serverKinds.find((kind) => {
    const { hosts, port } = serverQuirks(kind);
    return hosts.includes(url.hostname) || (here && port !== undefined && url.port === String(port));
  });
}
