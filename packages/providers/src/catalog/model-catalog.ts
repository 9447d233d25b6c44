import type { CatalogModel } from './catalog-model.ts';
import { catalogVendors, type Models } from './models.ts';

export type { CatalogModel } from './catalog-model.ts';
export { allEfforts, catalogDate, currentModels, defaultAliases } from './models.ts';

/**
 * What is known of a model by its ID, dated or not, with what it costs on the day; undefined for one that the table does
 * not name.
 */
export function catalogModel(provider: string, id: string, now: number = Date.now()): CatalogModel | undefined {
  const known = modelsOf(provider);
  const undated = id.replace(/(-\d{8}|@\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/, '');
  const name = [id, undated].find((candidate) => known !== undefined && Object.hasOwn(known, candidate));
  const model = name === undefined ? undefined : known?.[name];
  const later = model?.laterPrice;
  return later === undefined || now < Date.parse(later.from) ? model : { ...model, price: later.price };
}

/** Every model that the table names, as `provider/model`. */
export function catalogModelNames(): readonly string[] {
  return Object.keys(catalogVendors).flatMap((provider) =>
    Object.keys(modelsOf(provider) ?? {}).map((id) => `${provider}/${id}`),
  );
}

const made = new Map<string, Models>();

function modelsOf(provider: string): Models | undefined {
  const known = made.get(provider);
  if (known !== undefined || !Object.hasOwn(catalogVendors, provider)) return known;
  const models = catalogVendors[provider]?.();
  if (models !== undefined) made.set(provider, models);
  return models;
}
