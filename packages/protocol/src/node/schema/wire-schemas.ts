import { z } from 'zod';
import { errorCodes } from '../../error/error-codes.ts';
import type { RondoErrorJson } from '../../error/rondo-error.ts';
import * as protocol from '../../index.ts';
import { JsonObject } from '../../json/json-value.ts';
import { openObject } from '../../json/open-object.ts';

export interface WireSchema {
  /** Of the file: `turn-record.json`, `turn-start.params.json`. */
  readonly file: string;
  /** What the package exports it as; absent for what a method takes and answers. */
  readonly exportName?: string;
  readonly schema: z.ZodType;
  readonly description?: string;
}

const RondoErrorSchema: z.ZodType<RondoErrorJson> = openObject({
  code: z.union([z.enum(Object.keys(errorCodes)), z.string()]),
  message: z.string(),
  retryable: z.boolean(),
  details: JsonObject.exactOptional(),
});

/** Every schema of the wire and the file it goes to, by file name: all that the package exports, and each method. */
export function wireSchemas(): WireSchema[] {
  const exported = Object.entries(protocol).flatMap(([exportName, schema]): WireSchema[] =>
    isSchema(schema) ? [{ file: `${kebab(exportName)}.json`, exportName, schema }] : [],
  );
  const asked = Object.entries({ ...protocol.methods, ...protocol.clientMethods }).flatMap(
    ([method, { params, result }]): WireSchema[] => [
      { file: fileOf(method, 'params'), schema: params, description: `What \`${method}\` takes.` },
      { file: fileOf(method, 'result'), schema: result, description: `What \`${method}\` answers.` },
    ],
  );
  const unasked = Object.entries(protocol.notifications).map(
    ([name, schema]): WireSchema => ({
      file: fileOf(name, 'notification'),
      schema,
      description: `What the host sends as \`${name}\`.`,
    }),
  );
  const error = {
    file: 'rondo-error.json',
    schema: RondoErrorSchema,
    description: 'What `error.data` of an error frame is. A code newer than this version may come.',
  };
  return [...exported, ...asked, ...unasked, error].sort((a, b) => (a.file < b.file ? -1 : 1));
}

function isSchema(value: unknown): value is z.ZodType {
  return value instanceof z.ZodType;
}

function fileOf(method: string, part: string): string {
  return `${method.replace('/', '-')}.${part}.json`;
}

function kebab(name: string): string {
  return name
    .replace(/^SDK/, 'SDK-')
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-')
    .toLowerCase();
}
