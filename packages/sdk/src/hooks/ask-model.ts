import type { Model } from '@rondo/runtime';
import type { AskModel } from './prompt-hook.ts';

export interface AskModelOptions {
  /** The session's own. */
  readonly model: Model;
  /** Loads another by its name. */
  readonly load: (name: string) => Promise<Model>;
}

const mostTokens = 1000;

/** Asks a model one question, beside any conversation: it is told nothing else and has no tools. */
export function modelAsker({ model, load }: AskModelOptions): AskModel {
  return async (prompt, { model: name, signal }) => {
    const asked = name === undefined ? model : await load(name);
    const request = {
      system: '',
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      maxOutputTokens: mostTokens,
    } as const;
    let text = '';
    for await (const part of asked.stream(request, { signal })) {
      if (part.type === 'block-end' && part.block.type === 'text') text += part.block.text;
    }
    return text;
  };
}
