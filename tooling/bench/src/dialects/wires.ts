/** One vendor's wire, as the bench drives it. */
export interface Wire {
  /** What the floor calls it. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For `--model`. */
  readonly model: string;
  /** What leads the command to the server at that URL. */
  env(url: string): Readonly<Record<string, string>>;
}

export const wires: readonly Wire[] = [
  {
    name: 'anthropic',
    title: 'Anthropic Messages',
    model: 'anthropic/claude-sonnet-5-5',
    env: (url) => ({ ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: url }),
  },
  {
    name: 'openai',
    title: 'OpenAI Responses',
    model: 'openai/gpt-6.2-sol',
    env: (url) => ({ OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: url }),
  },
  {
    name: 'chat',
    title: 'chat completions',
    model: 'openai-compatible/some-model',
    env: (url) => ({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` }),
  },
  {
    name: 'mistral',
    title: 'Mistral, by its AI SDK package',
    model: 'mistral/mistral-medium-latest',
    env: (url) => ({ MISTRAL_API_KEY: 'bench', MISTRAL_BASE_URL: `${url}/mistral` }),
  },
  {
    name: 'google',
    title: 'Google, by its AI SDK package',
    model: 'google/gemini-3.8-flash',
    env: (url) => ({ GEMINI_API_KEY: 'bench', GEMINI_BASE_URL: url }),
  },
];
