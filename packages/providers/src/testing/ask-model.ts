import type { ModelBlock } from '@rondo/protocol';
import type { Model, ModelPart, ModelRequest } from '@rondo/runtime';

export interface AskModelOptions extends Partial<ModelRequest> {
  readonly signal?: AbortSignal;
}

export interface ModelAnswer {
  readonly parts: readonly ModelPart[];
  /** The blocks that came whole. */
  readonly blocks: readonly ModelBlock[];
  /** The deltas of all text blocks, joined. */
  readonly text: string;
  /** Present when the reply came to its end. */
  readonly end?: Extract<ModelPart, { type: 'end' }>;
  /** What the stream threw, if it did. */
  readonly error?: unknown;
}

/** Asks a model once and gathers what came, the error included; a request of one greeting when nothing is given. */
export async function askModel(model: Model, { signal, ...request }: AskModelOptions = {}): Promise<ModelAnswer> {
  const parts: ModelPart[] = [];
  const greeting: ModelRequest = {
    system: '',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  };
  try {
    const stream = model.stream({ ...greeting, ...request }, { signal: signal ?? new AbortController().signal });
    for await (const part of stream) parts.push(part);
    return answerOf(parts);
  } catch (error) {
    return { ...answerOf(parts), error };
  }
}

function answerOf(parts: readonly ModelPart[]): ModelAnswer {
  const last = parts.at(-1);
  const texts = new Set(
    parts.flatMap((part) => (part.type === 'block-start' && part.block === 'text' ? [part.index] : [])),
  );
  return {
    parts,
    blocks: parts.flatMap((part) => (part.type === 'block-end' ? [part.block] : [])),
    text: parts.flatMap((part) => (part.type === 'delta' && texts.has(part.index) ? [part.text] : [])).join(''),
    ...(last?.type === 'end' && { end: last }),
  };
}
