import type { Model } from '@rondo/runtime';

/** Models that cost nothing, whatever they say. */
const free = /^(scripted|replay)\//;

/** Says once that a model's tokens are counted without a price, since a total would else look as if they were free. */
export function notePrice({ name, price }: Model, note: (text: string) => void): void {
  if (price !== undefined || free.test(name)) return;
  note(
    `The price of ${name} is not known: its tokens are counted, and total_cost_usd leaves them out. Give it one in models.facts of options or settings: { "${name}": { "price": { "input": 1, "output": 5 } } }, in US dollars a million tokens.`,
  );
}
