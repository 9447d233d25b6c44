import { nearestNames } from '@rondo/protocol/values';
import { isWireObject } from '../dialect/json.ts';
import type { Form } from './form.ts';

/** Keys and places in lists, from the whole to the value. */
export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  readonly message: string;
}

/** Everything about the value that is not of the form, in the order of the file. */
export function findProblems(value: unknown, form: Form, path: Path = []): Problem[] {
  switch (form.is) {
    case 'text':
      return typeof value === 'string' ? [] : [wrong(path, value, form)];
    case 'pattern':
      return typeof value === 'string' ? patternProblems(value, path) : [wrong(path, value, form)];
    case 'number':
      return typeof value === 'number' && value >= 0 && (form.whole === undefined || Number.isSafeInteger(value))
        ? []
        : [wrong(path, value, form)];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [wrong(path, value, form)];
    case 'true':
      return value === true ? [] : [wrong(path, value, form)];
    case 'object':
      return isWireObject(value) ? [] : [wrong(path, value, form)];
    case 'texts':
      if (!isWireObject(value)) return [wrong(path, value, form)];
      return Object.entries(value).flatMap(([name, member]) => findProblems(member, { is: 'text' }, [...path, name]));
    case 'choice':
      return form.of.some((choice) => choice === value) ? [] : [{ path, message: notOneOf(value, form.of) }];
    case 'list':
      if (!Array.isArray(value)) return [wrong(path, value, form)];
      return value.flatMap((member: unknown, index) => findProblems(member, form.of, [...path, index]));
    case 'keys':
      return isWireObject(value) ? keyProblems(value, form, path) : [wrong(path, value, form)];
    case 'one of': {
      const meant = form.of.find((each) => kindOfForm(each) === kindOf(value));
      return meant === undefined ? [wrong(path, value, form)] : findProblems(value, meant, path);
    }
  }
}

function keyProblems(
  value: Readonly<Record<string, unknown>>,
  { keys }: Extract<Form, { is: 'keys' }>,
  path: Path,
): Problem[] {
  const names = Object.keys(keys);
  const missing = Object.entries(keys).flatMap(([name, { required }]) =>
    required === true && value[name] === undefined ? [{ path, message: `there is no ${name}` }] : [],
  );
  const found = Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (known !== undefined) return findProblems(member, known.form, [...path, name]);
    const [nearest] = nearestNames(name, names);
    const way = nearest === undefined ? `known are ${names.join(', ')}` : `did you mean ${nearest}?`;
    return [{ path: [...path, name], message: `there is no such key; ${way}` }];
  });
  return [...missing, ...found];
}

function patternProblems(value: string, path: Path): Problem[] {
  try {
    new RegExp(value, 'gmu');
    return [];
  } catch (error) {
    return [{ path, message: error instanceof Error ? error.message : String(error) }];
  }
}

function notOneOf(value: unknown, choices: readonly (string | number)[]): string {
  if (choices.length === 1) return `must be ${choices.join()}, not ${shown(value)}`;
  const [nearest] = typeof value === 'string' ? nearestNames(value, choices.map(String)) : [];
  const way = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `${shown(value)} is none of ${choices.join(', ')}${way}`;
}

function wrong(path: Path, value: unknown, form: Form): Problem {
  return { path, message: `must be ${describeForm(form)}, not ${shown(value)}` };
}

function describeForm(form: Form): string {
  switch (form.is) {
    case 'text':
      return 'a text';
    case 'pattern':
      return 'a regular expression';
    case 'number':
      return form.whole === true ? 'a whole number from 0' : 'a number from 0';
    case 'boolean':
      return 'true or false';
    case 'true':
      return 'true, or left out';
    case 'object':
    case 'texts':
      return 'a mapping';
    case 'choice':
      return `one of ${form.of.join(', ')}`;
    case 'list':
      return 'a list';
    case 'keys':
      return `a mapping with ${Object.keys(form.keys).join(', ')}`;
    case 'one of':
      return form.of.map(describeForm).join(' or ');
  }
}

type Kind = 'text' | 'number' | 'boolean' | 'list' | 'object' | 'nothing';

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return isWireObject(value) ? 'object' : 'nothing';
}

function kindOfForm(form: Form): Kind | undefined {
  switch (form.is) {
    case 'text':
    case 'pattern':
      return 'text';
    case 'choice':
      return kindOf(form.of[0]);
    case 'true':
      return 'boolean';
    case 'keys':
    case 'texts':
      return 'object';
    case 'one of':
      return undefined;
    default:
      return form.is;
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
