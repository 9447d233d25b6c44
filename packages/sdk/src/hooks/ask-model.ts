import { modelCost, type Model } from '@rondo/runtime';
import type { TokenUsage } from '@rondo/protocol';
import type { AskModel } from './prompt-hook.ts';

export interface AskModelOptions {
  /** The session's own. */
  readonly model: Model;
  /** Loads another by its name. */
  readonly load: (name: string) => Promise<Model>;
}

const mostTokens = 1000;

/** Asks a model one question, beside any conversation: it is told nothing else and has no tools. Half an answer is none. */
export function modelAsker({ model, load }: AskModelOptions): AskModel {
  return async (prompt, { model: name, signal, onUsage }) => {
    const asked = name === undefined ? model : await load(name);
    const request = {
      system: '',
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      maxOutputTokens: mostTokens,
    } as const;
    const count = (usage: TokenUsage): void => {
      const costUsd = modelCost(usage, asked.price);
      onUsage({ model: asked.name, usage, ...(costUsd === undefined ? {} : { costUsd }) });
    };
    let text = '';
    let isWhole = false;
    for await (const part of asked.stream(request, { signal })) {
      if (part.type === 'block-end' && part.block.type === 'text') text += part.block.text;
      if (part.type === 'start' && part.usage !== undefined) count(part.usage);
      if (part.type !== 'end') continue;
      count(part.usage);
      isWhole = true;
    }
    if (!isWhole) throw new Error(`${asked.name} did not end its answer`);
    return text;
  };
}
