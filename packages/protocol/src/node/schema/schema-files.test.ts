import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDocComments } from './doc-comments.ts';
import { schemaFiles, schemaFolder } from './schema-files.ts';
import { type SchemaNode, visitSchemas } from './schema-node.ts';

const made = schemaFiles();

test('the committed schemas are what the code gives; if not, run `npm run schemas` and read the difference', () => {
  const committed = readdirSync(schemaFolder).map((file) => [file, readFileSync(new URL(file, schemaFolder), 'utf8')]);
  expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(made));
});

test.each([...made])('%s names itself, refers to files that are there, and leaves every object open', (file, text) => {
  const schema = JSON.parse(text) as SchemaNode;
  expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: file });
  visitSchemas(schema, (node) => {
    if (node['$ref'] !== undefined) expect([...made.keys()]).toContain(node['$ref']);
    expect(node['additionalProperties']).not.toBe(false);
    expect(node).not.toHaveProperty('$defs');
  });
});

test('a comment describes its constant, and the fields that stand or are spread there', () => {
  const { ofConstant, ofFields } = readDocComments(`
const common = {
  /** The
   * one. */
  id: z.string(),
};

/** A thing, see {@link Other}. */
export const Thing = openObject({
  ...common,
  plain: z.string(),
  /** How many. */
  count: z.number(),
});
export const Bare = openObject({ type: z.literal('bare'), ...common });
`);
  expect([...ofConstant]).toEqual([['Thing', 'A thing, see `Other`.']]);
  expect(Object.fromEntries(ofFields.get('Thing') ?? [])).toEqual({ id: 'The one.', count: 'How many.' });
  expect(Object.fromEntries(ofFields.get('Bare') ?? [])).toEqual({ id: 'The one.' });
});
