import type { JsonObject, JsonValue } from '@rondo/protocol';
import { boundKeywords } from './json-schema-bounds.ts';
import { brief, equalJson, isArray, isObject, typeOf } from './json-shape.ts';
import { invalid, type Keyword, report, type SchemaCheck } from './schema-check.ts';
import type { InputProblem } from './tool.ts';

/** Keywords that say nothing about what is accepted. `format` is among them, as in JSON Schema 2020-12. */
const annotations = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'format',
  'default',
]);

const keywords: Readonly<Record<string, Keyword>> = {
  type: typeKeyword,
  properties: objectKeyword,
  required: objectKeyword,
  additionalProperties: objectKeyword,
  items: itemsKeyword,
  enum: enumKeyword,
  const: (expected) => (value, path, problems) => {
    if (!equalJson(value, expected))
      report(problems, path, `expected ${JSON.stringify(expected)}, got ${brief(value)}`);
    return value;
  },
  anyOf: (argument, _schema, where) => alternatives('anyOf', argument, where),
  oneOf: (argument, _schema, where) => alternatives('oneOf', argument, where),
  allOf: (argument, _schema, where) => {
    const checks = compileEach('allOf', argument, where);
    return (value, path, problems) => checks.reduce((current, check) => check(current, path, problems), value);
  },
  not: (argument, _schema, where) => {
    const check = compileJsonSchema(argument, where);
    return (value, path, problems) => {
      const found: InputProblem[] = [];
      check(value, path, found);
      if (found.length === 0) report(problems, path, `must not fit ${JSON.stringify(argument)}, got ${brief(value)}`);
      return value;
    };
  },
  ...boundKeywords,
};

/**
 * Compiles the part of JSON Schema that tools use. A keyword outside it is refused here and never ignored, because an
 * ignored keyword would let through what its author forbade.
 * @throws TypeError naming the keyword and its place.
 */
export function compileJsonSchema(schema: JsonValue, where = ''): SchemaCheck {
  if (schema === true) return (value) => value;
  if (schema === false) {
    return (value, path, problems) => {
      report(problems, path, 'is not expected');
      return value;
    };
  }
  if (!isObject(schema)) throw invalid(where, `must be an object or a boolean, not ${typeOf(schema)}`);
  const checks = new Map<Keyword, SchemaCheck>();
  for (const [name, argument] of Object.entries(schema)) {
    if (annotations.has(name)) continue;
    const keyword = Object.hasOwn(keywords, name) ? keywords[name] : undefined;
    if (keyword === undefined) {
      throw invalid(
        where,
        `uses "${name}", which this validator does not know; express it without, or pass a Standard Schema (zod and others) as input and this JSON Schema as inputSchema`,
      );
    }
    if (!checks.has(keyword)) checks.set(keyword, keyword(argument, schema, where));
  }
  return inOrder([...checks.values()], checks.get(typeKeyword));
}

/** The type first: when it is wrong, the other keywords have nothing to add. */
function inOrder(checks: readonly SchemaCheck[], type: SchemaCheck | undefined): SchemaCheck {
  const rest = checks.filter((check) => check !== type);
  return (value, path, problems) => {
    const before = problems.length;
    type?.(value, path, problems);
    if (problems.length > before) return value;
    let current = value;
    for (const check of rest) current = check(current, path, problems);
    return current;
  };
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

function typeKeyword(argument: JsonValue, _schema: JsonObject, where: string): SchemaCheck {
  const types: string[] = [];
  for (const type of isArray(argument) ? argument : [argument]) {
    if (typeof type !== 'string' || !typeNames.has(type)) {
      throw invalid(where, `has no such type: ${JSON.stringify(type)}`);
    }
    types.push(type);
  }
  const expected = types.join(' or ');
  return (value, path, problems) => {
    const type = typeOf(value);
    const fits = types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(value));
    if (!fits) report(problems, path, `expected ${expected}, got ${type === 'number' ? brief(value) : type}`);
    return value;
  };
}

/** `properties`, `required` and `additionalProperties` need each other, so they are one check. */
function objectKeyword(_argument: JsonValue, schema: JsonObject, where: string): SchemaCheck {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  if (!isObject(properties)) throw invalid(where, 'has "properties" that is no object');
  if (!isArray(required) || !required.every((name) => typeof name === 'string')) {
    throw invalid(where, 'has "required" that is no list of names');
  }
  const known = new Map(
    Object.entries(properties).map(([name, property]) => [name, compileProperty(property, join(where, name))]),
  );
  const names = [...known.keys()].join(', ');
  const others = additionalProperties === false ? undefined : compileJsonSchema(additionalProperties, join(where, '*'));

  return (value, path, problems) => {
    if (!isObject(value)) return value;
    const changed = new Map<string, JsonValue>();
    for (const name of required) {
      if (Object.hasOwn(value, name) || known.get(name)?.fallback !== undefined) continue;
      report(problems, join(path, name), `is missing, expected ${known.get(name)?.expected ?? 'a value'}`);
    }
    for (const [name, { check, fallback }] of known) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      const checked = member === undefined ? fallback : check(member, join(path, name), problems);
      if (checked !== undefined && checked !== member) changed.set(name, checked);
    }
    for (const [name, member] of Object.entries(value)) {
      if (known.has(name)) continue;
      if (others === undefined) report(problems, join(path, name), `is not expected; known fields: ${names}`);
      else {
        const checked = others(member, join(path, name), problems);
        if (checked !== member) changed.set(name, checked);
      }
    }
    return changed.size === 0 ? value : Object.fromEntries([...Object.entries(value), ...changed]);
  };
}

function compileProperty(schema: JsonValue, where: string) {
  const check = compileJsonSchema(schema, where);
  if (!isObject(schema)) return { check, fallback: undefined, expected: 'a value' };
  const { type, enum: choices, default: fallback } = schema;
  if (fallback !== undefined) {
    const problems: InputProblem[] = [];
    check(fallback, '', problems);
    if (problems.length > 0) throw invalid(where, `has a default that it refuses itself: ${problems[0]?.message}`);
  }
  const types =
    typeof type === 'string'
      ? type
      : isArray(type)
        ? type.filter((each) => typeof each === 'string').join(' or ')
        : 'a value';
  return { check, fallback, expected: choices === undefined ? types : `one of ${listOf(choices)}` };
}

function itemsKeyword(argument: JsonValue, _schema: JsonObject, where: string): SchemaCheck {
  const check = compileJsonSchema(argument, join(where, '*'));
  return (value, path, problems) => {
    if (!isArray(value)) return value;
    const items = value.map((item, index) => check(item, join(path, String(index)), problems));
    return items.some((item, index) => item !== value[index]) ? items : value;
  };
}

function enumKeyword(argument: JsonValue, _schema: JsonObject, where: string): SchemaCheck {
  if (!isArray(argument)) throw invalid(where, 'has "enum" that is no list');
  return (value, path, problems) => {
    if (!argument.some((choice) => equalJson(choice, value))) {
      report(problems, path, `expected one of ${listOf(argument)}, got ${brief(value)}`);
    }
    return value;
  };
}

function alternatives(name: 'anyOf' | 'oneOf', argument: JsonValue, where: string): SchemaCheck {
  const checks = compileEach(name, argument, where);
  return (value, path, problems) => {
    const fitting: JsonValue[] = [];
    const reasons: string[] = [];
    for (const check of checks) {
      const found: InputProblem[] = [];
      const checked = check(value, path, found);
      if (found.length === 0) fitting.push(checked);
      else reasons.push(found.map((problem) => `${relativeTo(path, problem.path)}${problem.message}`).join(', '));
    }
    const [first] = fitting;
    if (first === undefined)
      report(problems, path, `fits none of ${checks.length} alternatives: ${reasons.join('; or ')}`);
    else if (name === 'oneOf' && fitting.length > 1)
      report(problems, path, `fits ${fitting.length} alternatives, must fit exactly one`);
    return first ?? value;
  };
}

function compileEach(name: string, argument: JsonValue, where: string): SchemaCheck[] {
  if (!isArray(argument) || argument.length === 0) throw invalid(where, `has "${name}" that is no list of schemas`);
  return argument.map((each) => compileJsonSchema(each, where));
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function relativeTo(path: string, inner: string): string {
  const rest = path === '' ? inner : inner.slice(path.length + 1);
  return rest === '' ? '' : `${rest} `;
}

function listOf(choices: JsonValue): string {
  return isArray(choices) ? choices.map((choice) => JSON.stringify(choice)).join(', ') : JSON.stringify(choices);
}
