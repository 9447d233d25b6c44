import { allEfforts, catalogModel, type CatalogModel } from '../catalog/model-catalog.ts';

export type AnthropicFacts = CatalogModel &
  Required<Pick<CatalogModel, 'contextWindow' | 'maxOutputTokens' | 'efforts' | 'input'>> & {
    /** Takes a schema that its text is held to, as the vendor's own do from Claude 4.5 on. */
    readonly outputFormat: boolean;
  };

const vendorsOwn = 'claude-';

/** One that is newer than the catalog: what its family has had for long is a safe guess, its price is not. */
const newerModel = {
  contextWindow: 1_000_000,
  maxOutputTokens: 64_000,
  efforts: allEfforts,
  thinking: 'adaptive',
  input: catalogModel('anthropic', 'claude-opus-5')?.input ?? {},
  outputFormat: true,
} as const;
/** Not the vendor's own: what every server can take. */
const foreignModel = {
  contextWindow: 200_000,
  maxOutputTokens: 8_192,
  efforts: allEfforts,
  thinking: 'either',
  input: catalogModel('anthropic', 'claude-haiku-4-5')?.input ?? {},
  outputFormat: false,
} as const;

/** Of the vendor's own models, those that need no budget to think. Another's may take the field amiss. */
export function thinksAdaptively(id: string, { thinking }: AnthropicFacts): boolean {
  return id.startsWith(vendorsOwn) && thinking !== undefined && thinking !== 'budget';
}

/** What is known of a model by its ID, with a safe guess for what is not. */
export function anthropicFacts(id: string): AnthropicFacts {
  const guess = id.startsWith(vendorsOwn) ? newerModel : foreignModel;
  const known = catalogModel('anthropic', id);
  return known === undefined ? guess : { ...guess, ...known };
}
