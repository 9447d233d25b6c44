import type { Model } from '@rondo/runtime';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { z } from 'zod';

export interface StoreKeeperOptions {
  readonly model: string | Model;
  readonly stock: ReadonlyMap<string, number>;
  readonly instructions?: string;
}

/** The agent under test. Its model is a parameter: that is all a test needs. */
export function createStoreKeeper({
  model,
  stock,
  instructions = 'You keep the store room.',
}: StoreKeeperOptions): Agent {
  const countStock = defineTool({
    name: 'count_stock',
    description: 'How many of an article are in the store room.',
    input: z.object({ article: z.string() }),
    effect: 'none',
    run: ({ article }) => Promise.resolve({ content: `${stock.get(article) ?? 0} ${article}` }),
  });
  return new Agent({ model, instructions, tools: [countStock], cwd: import.meta.dirname, store: 'memory' });
}
