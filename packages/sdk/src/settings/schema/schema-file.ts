import { z } from 'zod';
import { settingsSchema } from './settings-schema.ts';

/** The file that editors check settings by. */
export const schemaFile = new URL('../../../schema/settings.json', import.meta.url);

/** Its text, as the code gives it. */
export function schemaText(): string {
  const schema = z.toJSONSchema(settingsSchema(), { io: 'input' });
  const { $schema, ...rest } = schema;
  return `${JSON.stringify({ $schema, $id: 'settings.json', title: 'Settings of Rondo', ...rest }, undefined, 2)}\n`;
}
