import { streamWires } from '@rondo/providers/testing';
import { expect, test } from 'vitest';
import { byteMutations } from './mutate-bytes.ts';
import { jsonMutations } from './mutate-json.ts';
import { lineMutations } from './mutate-lines.ts';
import { mutateStream } from './mutate-stream.ts';
import { createRandom } from './random.ts';
import { recordedStreams } from './recorded-stream.ts';

const recorded = streamWires.flatMap(recordedStreams);
const seeds = Array.from({ length: 20 }, (_, seed) => seed);

test('the same seed does the same, another one something else', () => {
  for (const stream of recorded.slice(0, 5)) {
    const mutated = seeds.map((seed) => mutateStream(stream, recorded, seed));
    expect(seeds.map((seed) => mutateStream(stream, recorded, seed))).toEqual(mutated);
    expect(new Set(mutated.map(({ chunks }) => Buffer.concat(chunks).toString('latin1'))).size).toBeGreaterThan(15);
  }
});

const mutations = Object.entries({ ...byteMutations, ...lineMutations, ...jsonMutations });
test.each(mutations)('%s changes most replies, and is no more than it says', (name, mutate) => {
  let changed = 0;
  for (const stream of recorded) {
    for (const seed of seeds) {
      const mutated = mutate(stream.bytes, createRandom(seed));
      if (!mutated.equals(stream.bytes)) changed += 1;
      if (name in jsonMutations)
        expect(mutated.toString().split('\n').length).toBe(stream.bytes.toString().split('\n').length);
    }
  }
  expect(changed).toBeGreaterThan((recorded.length * seeds.length) / 3);
});
