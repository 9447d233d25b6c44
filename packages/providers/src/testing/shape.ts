import { firstProblem, isWire } from './request-guards.ts';

/** What is wrong with the value, said with its place; undefined when it is as it should be. */
export type Shape = (value: unknown, place: string) => string | undefined;

type Fields = Readonly<Record<string, Shape>>;

/** An object with these fields, those of `optional` or not, and no others. */
export function exact(required: Fields, optional: Fields = {}): Shape {
  return (value, place) => {
    if (!isWire(value)) return `${place}: must be an object`;
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(required, key) && !Object.hasOwn(optional, key))
        return `${at(place, key)}: there is no such field`;
    }
    for (const [key, shape] of Object.entries(required)) {
      if (value[key] === undefined) return `${at(place, key)}: is required`;
      const problem = shape(value[key], at(place, key));
      if (problem !== undefined) return problem;
    }
    return firstProblem(Object.entries(optional), ([key, shape]) =>
      value[key] === undefined ? undefined : shape(value[key], at(place, key)),
    );
  };
}

/** One of several objects, told apart by their `type`. */
export function byType(shapes: Fields): Shape {
  return (value, place) => {
    if (!isWire(value)) return `${place}: must be an object`;
    const { type } = value;
    const shape = typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : undefined;
    if (shape === undefined)
      return `${place}.type: ${JSON.stringify(type)} is none of ${Object.keys(shapes).join(', ')}`;
    return shape(value, place);
  };
}

export function listOf(shape: Shape): Shape {
  return (value, place) => {
    if (!Array.isArray(value)) return `${place}: must be a list`;
    return firstProblem(value as readonly unknown[], (member, index) => shape(member, `${place}.${index}`));
  };
}

/** A text, or what the shape says. */
export function textOr(shape: Shape): Shape {
  return (value, place) => (typeof value === 'string' ? undefined : shape(value, place));
}

export function orNull(shape: Shape): Shape {
  return (value, place) => (value === null ? undefined : shape(value, place));
}

export function oneOf(...values: readonly (string | boolean | null)[]): Shape {
  return (value, place) =>
    values.includes(value as string)
      ? undefined
      : `${place}: ${JSON.stringify(value)} is none of ${values.map((each) => JSON.stringify(each)).join(', ')}`;
}

export function matching(pattern: RegExp): Shape {
  return (value, place) =>
    typeof value === 'string' && pattern.test(value)
      ? undefined
      : `${place}: ${JSON.stringify(value)?.slice(0, 100)} does not match ${pattern.source}`;
}

export function wholeNumber(least = 0): Shape {
  return (value, place) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least
      ? undefined
      : `${place}: must be a whole number of at least ${least}`;
}

export const anyText: Shape = (value, place) => (typeof value === 'string' ? undefined : `${place}: must be a text`);

export const trueOrFalse: Shape = (value, place) =>
  typeof value === 'boolean' ? undefined : `${place}: must be true or false`;

export const anyObject: Shape = (value, place) => (isWire(value) ? undefined : `${place}: must be an object`);

export const anything: Shape = () => undefined;

function at(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`;
}
