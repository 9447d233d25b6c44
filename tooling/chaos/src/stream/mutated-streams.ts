import assert from 'node:assert/strict';
import type { ModelPart } from '@rondo/runtime';
import { readStream, streamWires } from '@rondo/providers/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertReply } from './assert-reply.ts';
import { cut, mutateStream } from './mutate-stream.ts';
import { packagedStreams } from './packaged-streams.ts';
import { createRandom } from './random.ts';
import { recordedStreams, type RecordedStream } from './recorded-stream.ts';

/** Of each wire that is read by us; those that are read by packages have fewer, since each of theirs is a request. */
const streamsOfWire = 30_000;
const streamsOfCase = 100;
/** A damaged reply of some kilobytes takes a fraction of a millisecond. */
const longestMs = 5_000;

/** Replies of every wire, damaged in every way that bytes, lines, events and values can be. */
export const mutatedStreams: ChaosFamily = {
  name: 'mutated streams',
  atOnce: 2,
  cases: async () => [...streamWires.flatMap(casesOf), ...packagedStreams()],
};

function casesOf(wire: string): ChaosCase[] {
  const recorded = recordedStreams(wire);
  const whole = recorded.map(
    (stream): ChaosCase => ({
      name: `${wire}/${stream.name}: however it is cut`,
      essential: true,
      run: async () => readInPieces(stream),
    }),
  );
  const damaged = Array.from({ length: streamsOfWire / streamsOfCase }, (_, index): ChaosCase => {
    const stream = recorded[index % recorded.length];
    assert.ok(stream !== undefined, `there is no recorded reply of ${wire}`);
    const first = index * streamsOfCase;
    return {
      name: `${wire}/${stream.name}: seeds ${first} to ${first + streamsOfCase - 1}`,
      run: async () => {
        for (let seed = first; seed < first + streamsOfCase; seed += 1) readDamaged(stream, recorded, seed);
      },
    };
  });
  return [...whole, ...damaged];
}

function readDamaged(stream: RecordedStream, others: readonly RecordedStream[], seed: number): void {
  const { done, chunks } = mutateStream(stream, others, seed);
  const begun = performance.now();
  try {
    assertReply(readStream({ wire: stream.wire, server: stream.name }, chunks));
  } catch (error) {
    throw new Error(`seed ${seed} (${done.join(', ')}): ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const took = performance.now() - begun;
  assert.ok(took < longestMs, `seed ${seed} (${done.join(', ')}) took ${took} ms`);
}

/** The same parts whatever the pieces and the ends of lines, and no character that was not sent. */
function readInPieces(stream: RecordedStream): void {
  const read = (chunks: readonly Buffer[]) => readStream({ wire: stream.wire, server: stream.name }, chunks);
  const whole = read([stream.bytes]);
  assertReply(whole);
  const replaced = stream.bytes.includes('\ufffd');
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    const bytes = Buffer.from(stream.bytes.toString('utf8').replaceAll('\n', lineEnd));
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    const random = createRandom(bytes.length);
    for (const chunks of [single, cut(bytes, random), cut(bytes, random), cut(bytes, random)]) {
      const reading = read(chunks);
      assertReply(reading);
      assert.deepEqual(joined(reading.parts), joined(whole.parts));
      assert.ok(replaced || !JSON.stringify(reading.parts).includes('\ufffd'), 'a character was lost');
    }
  }
}

/** Pieces of text that stand together, as one: how they come apart follows from the bytes that came at once. */
function joined(parts: readonly ModelPart[]): readonly ModelPart[] {
  const whole: ModelPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'delta' && last?.type === 'delta' && last.index === part.index) {
      whole[whole.length - 1] = { ...last, text: last.text + part.text };
    } else {
      whole.push(part);
    }
  }
  return whole;
}
