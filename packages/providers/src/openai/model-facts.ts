import { allEfforts, catalogModel, type CatalogModel } from '../catalog/model-catalog.ts';

export interface OpenAIFacts extends CatalogModel {
  /** Takes `reasoning` and gives its reasoning encrypted. Asking another model for either is refused. */
  readonly reasons: boolean;
}

/** Names of the vendor's models that reason, however new they are. */
const reasoningNames = /^(gpt-([5-9]|\d\d)(?!.*-chat)|o\d|codex-)/;

/** What is known of a model by its ID, with a safe guess for what is not. */
export function openaiFacts(id: string): OpenAIFacts {
  const known = catalogModel('openai', id);
  if (known !== undefined) return { ...known, reasons: (known.efforts ?? []).length > 0 };
  return reasoningNames.test(id) ? { efforts: allEfforts, reasons: true } : { efforts: [], reasons: false };
}
