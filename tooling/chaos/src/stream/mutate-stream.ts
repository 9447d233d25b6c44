import { byteMutations, type Mutation } from './mutate-bytes.ts';
import { jsonMutations } from './mutate-json.ts';
import { lineMutations } from './mutate-lines.ts';
import { createRandom, type Random } from './random.ts';
import type { RecordedStream } from './recorded-stream.ts';

export interface MutatedStream {
  /** What was done to it, in order. */
  readonly done: readonly string[];
  /** As they come over the wire. */
  readonly chunks: readonly Buffer[];
}

const kinds: readonly (readonly (readonly [string, Mutation])[])[] = [
  Object.entries(byteMutations),
  Object.entries(lineMutations),
  Object.entries(jsonMutations),
];

/** The recorded reply with one to three things done to it, cut in some way: the same for the same seed. */
export function mutateStream(recorded: RecordedStream, others: readonly RecordedStream[], seed: number): MutatedStream {
  const random = createRandom(seed);
  const done: string[] = [];
  let { bytes } = recorded;
  for (let count = 1 + random.below(3); count > 0 && bytes.length > 0; count -= 1) {
    if (random.below(20) === 0) {
      const other = random.pick(others);
      bytes = spliced(bytes, other.bytes, random);
      done.push(`goes on as ${other.name}`);
      continue;
    }
    const [name, mutate] = random.pick(random.pick(kinds));
    bytes = mutate(bytes, random);
    done.push(name);
  }
  return { done, chunks: cut(bytes, random) };
}

/** The events of one reply up to some place, and those of another from some place on. */
function spliced(bytes: Buffer, other: Buffer, random: Random): Buffer {
  const [first, second] = [bytes, other].map((each) => each.toString('latin1').split(/(?<=\n\n)/));
  const head = first?.slice(0, random.below((first?.length ?? 0) + 1)) ?? [];
  const tail = second?.slice(random.below(second?.length ?? 0)) ?? [];
  return Buffer.from([...head, ...tail].join(''), 'latin1');
}

/** In one piece, a byte at a time, or in pieces of all lengths. */
export function cut(bytes: Buffer, random: Random): readonly Buffer[] {
  const longest = random.pick([1, 3, 40, 400, Infinity]);
  if (longest === Infinity) return [bytes];
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const length = 1 + random.below(longest);
    chunks.push(bytes.subarray(start, start + length));
    start += length;
  }
  return chunks;
}
