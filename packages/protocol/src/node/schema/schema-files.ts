import { readFileSync } from 'node:fs';
import { type DocComments, readDocComments } from './doc-comments.ts';
import type { SchemaNode } from './schema-node.ts';
import { createToJsonSchema } from './to-json-schema.ts';
import { type WireSchema, wireSchemas } from './wire-schemas.ts';

/** The folder that holds the files. */
export const schemaFolder = new URL('../../../schema/', import.meta.url);

/** The text of each file of `schema/` by its name, as the code gives it. */
export function schemaFiles(): Map<string, string> {
  const all = wireSchemas();
  const fileOf = new Map(all.map(({ schema, file }) => [schema, file]));
  // A method that answers a named type refers to it: the type keeps the file of its own name.
  for (const { schema, file, exportName } of all) if (exportName !== undefined) fileOf.set(schema, file);
  const convert = createToJsonSchema(fileOf);
  const comments = exportComments();

  return new Map(
    all.map((wire) => {
      const owner = fileOf.get(wire.schema);
      const node = owner === wire.file ? convert(wire.schema) : { $ref: owner };
      return [wire.file, `${JSON.stringify(described(wire, node, comments), undefined, 2)}\n`];
    }),
  );
}

function described(wire: WireSchema, node: SchemaNode, comments: ReadonlyMap<string, DocComments>): SchemaNode {
  const { file, exportName = '' } = wire;
  const source = comments.get(exportName);
  const description = wire.description ?? source?.ofConstant.get(exportName);
  for (const [key, about] of source?.ofFields.get(exportName) ?? []) {
    const property = node.properties?.[key];
    if (property !== undefined) property['description'] = about;
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: file,
    ...(exportName === '' ? {} : { title: exportName }),
    ...(description === undefined ? {} : { description }),
    ...node,
  };
}

/** The comments of the file that each export comes from. */
function exportComments(): Map<string, DocComments> {
  const entry = new URL('../../index.ts', import.meta.url);
  const found = new Map<string, DocComments>();
  for (const [, names = '', path = ''] of readFileSync(entry, 'utf8').matchAll(/export \{([^}]*)\} from '(.+?)'/g)) {
    const comments = readDocComments(readFileSync(new URL(path, entry), 'utf8'));
    for (const [name] of names.matchAll(/\w+/g)) found.set(name, comments);
  }
  return found;
}
