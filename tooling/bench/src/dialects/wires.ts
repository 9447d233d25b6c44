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
];
