export interface ConverseOptions {
  readonly baseUrl: string;
  readonly prompt: string;
  /** Called after each step's results are in. */
  readonly onStep?: () => void;
}

export interface FloorMessage {
  readonly role: 'user' | 'assistant';
  readonly content: unknown;
}

export function converse(options: ConverseOptions): Promise<FloorMessage[]>;
