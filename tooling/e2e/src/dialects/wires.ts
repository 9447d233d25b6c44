/** A way to a model: the name that is asked for, and the environment that leads it to the model server. */
export interface Wire {
  readonly name: string;
  readonly model: string;
  /** What the model server calls the dialect. */
  readonly dialect: string;
  env(url: string): Readonly<Record<string, string>>;
  /** The wire has reasoning that is given back to the model that wrote it. */
  readonly returnsReasoning: boolean;
}

/** Must be nowhere but in a request's headers. */
export const wireKey = 'sk-wire-0123456789-abcdefghij';

export const wires: readonly Wire[] = [
  {
    name: 'Anthropic Messages',
    model: 'anthropic/claude-sonnet-5-5',
    dialect: 'anthropic',
    env: (url) => ({ ANTHROPIC_API_KEY: wireKey, ANTHROPIC_BASE_URL: url }),
    returnsReasoning: true,
  },
  {
    name: 'OpenAI Responses',
    model: 'openai/gpt-6.2-sol',
    dialect: 'openai-responses',
    env: (url) => ({ OPENAI_API_KEY: wireKey, OPENAI_BASE_URL: url }),
    returnsReasoning: true,
  },
  {
    name: 'Mistral chat completions, through its AI SDK package',
    model: 'mistral/mistral-medium-latest',
    dialect: 'mistral',
    env: (url) => ({ MISTRAL_API_KEY: wireKey, MISTRAL_BASE_URL: `${url}/mistral` }),
    returnsReasoning: true,
  },
  {
    name: 'Google generateContent, through its AI SDK package',
    model: 'google/gemini-3.8-flash',
    dialect: 'google',
    env: (url) => ({ GEMINI_API_KEY: wireKey, GEMINI_BASE_URL: url }),
    returnsReasoning: true,
  },
  {
    name: 'chat completions, as OpenAI takes them',
    model: 'openai-compatible/some-model',
    dialect: 'chat-completions',
    env: (url) => ({ OPENAI_COMPATIBLE_API_KEY: wireKey, OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` }),
    returnsReasoning: false,
  },
];
