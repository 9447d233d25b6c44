import type { Random } from './random.ts';

export type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** What no text in UTF-8 has, and what has a meaning of its own where lines and characters are read. */
const odd: readonly Buffer[] = [
  [0xff],
  [0xc0, 0x80],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x98],
  [0xed, 0xa0, 0xbd],
  [0x80],
  [0x00],
  [0x0d],
  [0x0a],
  [0x0d, 0x0a],
  [0x0a, 0x0a],
  [0xef, 0xbb, 0xbf],
  [0xe2, 0x80, 0xa8],
  [0xc2, 0x85],
  [0x22],
  [0x5c],
  [0x7b],
  [0x7d],
].map((values) => Buffer.from(values));

/** Damage that knows nothing of what the bytes mean. */
export const byteMutations: Readonly<Record<string, Mutation>> = {
  'a bit turned'(bytes, random) {
    const place = random.below(bytes.length);
    return replace(bytes, place, place + 1, Buffer.from([(bytes[place] ?? 0) ^ (1 << random.below(8))]));
  },
  'a byte changed'(bytes, random) {
    const place = random.below(bytes.length);
    return replace(bytes, place, place + 1, Buffer.from([random.below(256)]));
  },
  'cut off': (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  'a piece lost'(bytes, random) {
    const [from, to] = stretch(bytes, random);
    return replace(bytes, from, to, Buffer.alloc(0));
  },
  'a piece twice'(bytes, random) {
    const [from, to] = stretch(bytes, random);
    return replace(bytes, to, to, bytes.subarray(from, to));
  },
  'a piece elsewhere'(bytes, random) {
    const [from, to] = stretch(bytes, random);
    const rest = replace(bytes, from, to, Buffer.alloc(0));
    const place = random.below(rest.length + 1);
    return replace(rest, place, place, bytes.subarray(from, to));
  },
  'bytes put in'(bytes, random) {
    const place = random.below(bytes.length + 1);
    const added = Buffer.from(Array.from({ length: 1 + random.below(12) }, () => random.below(256)));
    return replace(bytes, place, place, added);
  },
  'odd bytes put in'(bytes, random) {
    const place = random.below(bytes.length + 1);
    return replace(bytes, place, place, random.pick(odd));
  },
};

function stretch(bytes: Buffer, random: Random): readonly [number, number] {
  const from = random.below(bytes.length + 1);
  return [from, Math.min(bytes.length, from + 1 + random.below(random.below(4) === 0 ? bytes.length + 1 : 60))];
}

function replace(bytes: Buffer, from: number, to: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)]);
}
