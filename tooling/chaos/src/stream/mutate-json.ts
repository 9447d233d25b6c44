import type { Mutation } from './mutate-bytes.ts';
import type { Random } from './random.ts';

/** Written as JSON text, because some of it is nothing that `JSON.stringify` would write. */
const oddValues: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1.5',
  '1e308',
  '1e999',
  '4294967295',
  '4294967296',
  '9007199254740993',
  '-0',
  '""',
  '" "',
  '"NaN"',
  '"\\ud83d"',
  '"\\ude00\\ud83d"',
  '"\\u0000"',
  '"\\u2028"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"__proto__":{"type":"text"}}',
  '{"constructor":1,"toString":2,"length":-1}',
  '{"type":"text","text":"from elsewhere"}',
  '"{\\"a\\":"',
  `"${'long '.repeat(4_000)}"`,
  `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
];

/** A field of an object, a member of a list, or the whole. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

type Change = (places: readonly Place[], random: Random) => void;

/** Damage to what one event says, which stays JSON. */
export const jsonMutations: Readonly<Record<string, Mutation>> = {
  'another value': onData((places, random) => set(random.pick(places), random)),
  'a field lost': onData((places, random) => {
    const { holder, key } = random.pick(places);
    delete holder[key];
  }),
  'a field under another name': onData((places, random) => {
    const { holder, key } = random.pick(places);
    const other = random.pick(places).key;
    const value = holder[key];
    delete holder[key];
    Object.defineProperty(holder, other, { value, enumerable: true, configurable: true, writable: true });
  }),
  'two values changed over': onData((places, random) => {
    const [left, right] = [random.pick(places), random.pick(places)];
    const [one, other] = [left.holder[left.key], right.holder[right.key]];
    // Nothing may come to hold itself.
    if (isHolder(one) || isHolder(other)) return;
    left.holder[left.key] = other;
    right.holder[right.key] = one;
  }),
  'a number moved': onData((places, random) => {
    const numbers = places.filter(({ holder, key }) => typeof holder[key] === 'number');
    if (numbers.length === 0) return;
    const { holder, key } = random.pick(numbers);
    holder[key] = Number(holder[key]) + random.pick([-1, 1, 2, 1_000_000, -1_000_000, 2 ** 32]);
  }),
  'a list that grew': onData((places, random) => {
    const lists = places.flatMap(({ holder, key }) => (Array.isArray(holder[key]) ? [holder[key] as unknown[]] : []));
    if (lists.length === 0) return;
    const list = random.pick(lists);
    list.push(list.length === 0 ? mark(random) : structuredClone(list[random.below(list.length)]));
  }),
  'a text cut': onData((places, random) => {
    const texts = places.filter(({ holder, key }) => typeof holder[key] === 'string');
    if (texts.length === 0) return;
    const { holder, key } = random.pick(texts);
    const text = String(holder[key]);
    holder[key] = random.below(2) === 0 ? text.slice(0, random.below(text.length + 1)) : text + text;
  }),
};

const marked = /"@odd-(\d+)@"/g;

/** Stands for an odd value until the JSON is written. */
function mark(random: Random): string {
  return `@odd-${random.below(oddValues.length)}@`;
}

function set({ holder, key }: Place, random: Random): void {
  holder[key] = mark(random);
}

function onData(change: Change): Mutation {
  return (bytes, random) => {
    const lines = bytes.toString('utf8').split('\n');
    const said = lines.flatMap((line, index) => (/^data: ?[{[]/.test(line) ? [index] : []));
    if (said.length === 0) return bytes;
    const index = random.pick(said);
    const line = lines[index] ?? '';
    const whole = parse(line.slice(line.indexOf(':') + 1));
    if (whole === undefined) return bytes;
    change(placesIn({ data: whole }), random);
    const json = JSON.stringify(whole).replaceAll(marked, (_, odd: string) => oddValues[Number(odd)] ?? 'null');
    return Buffer.from(lines.with(index, `data: ${json}`).join('\n'));
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every place inside, but for the whole itself. */
function placesIn(root: Record<string, unknown>): readonly Place[] {
  const places: Place[] = [];
  const visit = (holder: Record<string, unknown>): void => {
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (holder !== root) places.push({ holder, key });
      if (isHolder(value)) visit(value);
    }
  };
  visit(root);
  return places.length === 0 ? [{ holder: {}, key: 'x' }] : places;
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
