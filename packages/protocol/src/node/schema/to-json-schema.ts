import { z } from 'zod';
import { AnyEvent, NewerEvent } from '../../event/event.ts';
import { StreamEvents } from '../../event/stream-event.ts';
import { TransientEvent } from '../../event/transient-event.ts';
import { JsonObject, JsonValue } from '../../json/json-value.ts';
import { openUnionParts, type OpenUnionParts } from '../../json/open-union.ts';
import { SDKUserMessage, SDKUserMessageReplay } from '../../query/conversation-message.ts';
import { messages, SDKMessage, systemMessages } from '../../query/sdk-message.ts';
import { NewerRecord, TurnRecord } from '../../record/turn-record.ts';
import { type SchemaNode, visitSchemas } from './schema-node.ts';

/** Turns a schema into JSON Schema, with a reference to the file of each schema that has one. */
export type ToJsonSchema = (schema: z.ZodType) => SchemaNode;

/** `fileOf` names the schemas that have files. The schema asked for is always written out, its parts are referred to. */
export function createToJsonSchema(fileOf: ReadonlyMap<z.ZodType, string>): ToJsonSchema {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of fileOf) registry.add(schema, { id });

  const convert: ToJsonSchema = (schema) => {
    const whole = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      metadata: registry,
      override: ({ zodSchema, jsonSchema }) => {
        const special = zodSchema instanceof z.ZodType ? specialCase(zodSchema, refer) : undefined;
        if (special === undefined) return;
        for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword as keyof typeof jsonSchema];
        Object.assign(jsonSchema, special);
      },
    });
    // A schema with a file is given as a reference to its definition, one without as itself.
    const node = (whole.$defs?.[fileOf.get(schema) ?? ''] ?? whole) as SchemaNode;
    delete node['$schema'];
    delete node['$defs'];
    visitSchemas(node, tidy);
    return node;
  };
  const refer: ToJsonSchema = (schema) => {
    const file = fileOf.get(schema);
    return file === undefined ? convert(schema) : { $ref: file };
  };
  return convert;
}

/** What zod cannot say of a schema: JSON itself, and readers that are functions. */
function specialCase(schema: z.ZodType, refer: ToJsonSchema): SchemaNode | undefined {
  if (schema === JsonValue) return {};
  if (schema === JsonObject) return { type: 'object' };
  if (schema instanceof z.ZodCustom) return customCheck(schema);
  if (schema === AnyEvent) return openUnion(partsBehind(AnyEvent), refer, refer(NewerEvent));
  if (schema === TurnRecord) return openUnion(partsBehind(TurnRecord), refer, refer(NewerRecord));
  if (schema === StreamEvents) return streamEvents(refer);
  if (schema === SDKMessage) return queryMessages(refer);
  const parts = openUnionParts(schema);
  return parts && openUnion(parts, refer);
}

/** The one check of the wire that is a function of its own is that of UUIDs. */
function customCheck(schema: z.ZodType): SchemaNode {
  const takesUuids = schema.safeParse('5f0c7f0e-6a1e-4c5e-9a55-1f6e1c1d2b3a').success;
  if (!takesUuids || schema.safeParse('no UUID').success || schema.safeParse(1).success)
    throw new Error('z.custom cannot say what it accepts: give it a case of its own in to-json-schema.ts');
  return { type: 'string', format: 'uuid' };
}

function partsBehind(schema: z.ZodType): OpenUnionParts {
  const parts = schema instanceof z.ZodPipe ? openUnionParts(schema.in as z.ZodType) : undefined;
  if (parts === undefined) throw new Error('the schema is no open union behind a transform');
  return parts;
}

function openUnion({ members, unknownMember }: OpenUnionParts, refer: ToJsonSchema, newer?: SchemaNode): SchemaNode {
  const known = [...new Set([...Object.keys(members), 'unknown'])];
  const unknown = refer(unknownMember);
  const kept = newer === undefined ? unknown : { allOf: [unknown, { properties: { raw: newer } }] };
  return { anyOf: [...Object.values(members).map(refer), kept, newerThan(known, newer)] };
}

/** A kind that this version does not know is taken whole; one that it knows must fit its own schema. */
function newerThan(known: readonly string[], least: SchemaNode = {}): SchemaNode {
  const { properties = {}, required = [] } = least;
  return {
    description: 'A kind newer than this version, taken as it is.',
    type: 'object',
    properties: { type: { type: 'string', not: { enum: known } }, ...properties },
    required: ['type', ...(required as string[])],
  };
}

function streamEvents(refer: ToJsonSchema): SchemaNode {
  const transients = TransientEvent.options.map((option) => option.shape.type.value);
  const newer = newerThan(transients, { properties: { after: {} }, required: ['after'] });
  return {
    type: 'array',
    items: {
      anyOf: [
        refer(AnyEvent),
        refer(TransientEvent),
        { ...newer, description: 'A newer transient; readers leave it out.', not: { required: ['seq'] } },
      ],
    },
  };
}

function queryMessages(refer: ToJsonSchema): SchemaNode {
  const newer = newerThan([...Object.keys(messages), 'user', 'system']);
  const newerSystem = {
    ...newer,
    properties: { type: { const: 'system' }, subtype: { type: 'string', not: { enum: Object.keys(systemMessages) } } },
  };
  const members = [...Object.values(messages), SDKUserMessage, SDKUserMessageReplay, ...Object.values(systemMessages)];
  return { anyOf: [...members.map(refer), newer, newerSystem] };
}

/** References become file names; what says nothing is left out. */
function tidy(node: SchemaNode): void {
  delete node['id'];
  const { $ref, additionalProperties, propertyNames } = node;
  if (typeof $ref === 'string') {
    const file = $ref.replace('#/$defs/', '');
    if (!file.endsWith('.json')) throw new Error(`${$ref} is no file: give the schema a name that the package exports`);
    node['$ref'] = file;
  }
  if (isEmpty(additionalProperties)) delete node['additionalProperties'];
  if (JSON.stringify(propertyNames) === '{"type":"string"}') delete node['propertyNames'];
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
