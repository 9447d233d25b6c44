import type { JsonObject, JsonValue } from '@rondo/protocol';
import { brief, isArray } from './json-shape.ts';
import { invalid, type Keyword, report, type SchemaCheck } from './schema-check.ts';

/** The keywords that bound a number, a text or a list. */
export const boundKeywords: Readonly<Record<string, Keyword>> = {
  minimum: numberBound('minimum', (value, bound) => value >= bound, 'at least'),
  maximum: numberBound('maximum', (value, bound) => value <= bound, 'at most'),
  exclusiveMinimum: numberBound('exclusiveMinimum', (value, bound) => value > bound, 'more than'),
  exclusiveMaximum: numberBound('exclusiveMaximum', (value, bound) => value < bound, 'less than'),
  multipleOf: numberBound('multipleOf', isMultiple, 'a multiple of'),
  minLength: lengthBound('minLength', (length, bound) => length >= bound, 'at least'),
  maxLength: lengthBound('maxLength', (length, bound) => length <= bound, 'at most'),
  minItems: itemBound('minItems', (count, bound) => count >= bound, 'at least'),
  maxItems: itemBound('maxItems', (count, bound) => count <= bound, 'at most'),
  pattern: patternKeyword,
};

/** Tenths and their like are multiples too, although binary fractions miss by a little. */
function isMultiple(value: number, bound: number): boolean {
  const times = value / bound;
  return Math.abs(times - Math.round(times)) < 1e-9;
}

function numberBound(name: string, holds: (value: number, bound: number) => boolean, words: string): Keyword {
  return (bound, _schema, where) => {
    if (typeof bound !== 'number') throw invalid(where, `has "${name}" that is no number`);
    return (value, path, problems) => {
      if (typeof value === 'number' && !holds(value, bound))
        report(problems, path, `must be ${words} ${bound}, got ${value}`);
      return value;
    };
  };
}

function lengthBound(name: string, holds: (length: number, bound: number) => boolean, words: string): Keyword {
  return (bound, _schema, where) => {
    if (typeof bound !== 'number') throw invalid(where, `has "${name}" that is no number`);
    return (value, path, problems) => {
      if (typeof value !== 'string') return value;
      // Characters are code points; both bounds of their number are known without counting.
      if (holds(value.length, bound) && holds(Math.ceil(value.length / 2), bound)) return value;
      const length = Array.from(value).length;
      if (!holds(length, bound)) report(problems, path, `must have ${words} ${bound} characters, has ${length}`);
      return value;
    };
  };
}

function itemBound(name: string, holds: (count: number, bound: number) => boolean, words: string): Keyword {
  return (bound, _schema, where) => {
    if (typeof bound !== 'number') throw invalid(where, `has "${name}" that is no number`);
    return (value, path, problems) => {
      if (isArray(value) && !holds(value.length, bound))
        report(problems, path, `must have ${words} ${bound} items, has ${value.length}`);
      return value;
    };
  };
}

function patternKeyword(argument: JsonValue, _schema: JsonObject, where: string): SchemaCheck {
  if (typeof argument !== 'string') throw invalid(where, 'has "pattern" that is no text');
  let pattern: RegExp;
  try {
    pattern = new RegExp(argument, 'u');
  } catch (error) {
    throw invalid(
      where,
      `has "pattern" that is no regular expression: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return (value, path, problems) => {
    if (typeof value === 'string' && !pattern.test(value))
      report(problems, path, `must match ${argument}, got ${brief(value)}`);
    return value;
  };
}
