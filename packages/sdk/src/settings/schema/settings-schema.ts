import { z } from 'zod';
import type { SettingKey, SettingTable } from '../settings-key.ts';
import { settingsTable } from '../settings-table.ts';

/** The settings as a schema, made from the same table as the reader. Keys that nobody knows are kept, as there. */
export function settingsSchema(): z.ZodType {
  return objectOf(settingsTable);
}

function objectOf(table: SettingTable): z.ZodType {
  const shape = Object.entries(table).map(([key, spec]): [string, z.ZodType] => [key, describedKey(spec)]);
  return z.looseObject(Object.fromEntries(shape));
}

function describedKey(spec: SettingKey): z.ZodType {
  const about = spec.managedOnly === true ? `${spec.about} Counts only in managed settings.` : spec.about;
  return valueOf(spec).optional().describe(about);
}

const text = z.string().regex(/\S/);
const notNull = z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())]);

function valueOf(spec: SettingKey): z.ZodType {
  switch (spec.is) {
    case 'anything':
      return notNull;
    case 'boolean':
      return z.boolean();
    case 'number':
      return z.number();
    case 'text':
      return text;
    case 'choice':
      return z.enum((spec.choices ?? []) as [string, ...string[]]);
    case 'texts':
      return z.array(text);
    case 'texts by name':
      return z.record(z.string(), z.array(text));
    case 'variables':
      return z.record(z.string(), z.string());
    case 'object':
      return objectOf(spec.keys ?? {});
    case 'record':
    case 'hooks':
      return z.record(z.string(), z.unknown());
    case 'model settings':
      // What is in it is checked with the place of each key, in words that the schema has not.
      return z.object({
        defaultProvider: text.optional(),
        aliases: z.record(z.string(), text).optional(),
        servers: z.record(z.string(), z.looseObject({ baseUrl: z.string() })).optional(),
        facts: z.record(z.string(), z.looseObject({})).optional(),
      });
  }
}
