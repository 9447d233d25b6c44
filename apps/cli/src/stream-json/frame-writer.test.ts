import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createTextWriter } from '../process/text-writer.ts';
import { createFrameWriter } from './frame-writer.ts';

test('a client that does not read is told no more than a bound, and goes on once it reads', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const writer = createFrameWriter({ stdout: createTextWriter(stream), onWrite() {}, most: 20 });
  await writer.room();
  const writes = Array.from({ length: 30 }, (_, n) => writer.write({ n }));
  let hasRoom = false;
  const room = writer.room().then(() => (hasRoom = true));
  await new Promise(setImmediate);
  expect(hasRoom).toBe(false);
  let text = '';
  stream.on('data', (piece: Buffer) => (text += piece.toString()));
  await Promise.all([room, ...writes]);
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect(text).toBe(writes.map((_, n) => `{"n":${n}}\n`).join(''));
  expect(warnings).toEqual([]);
});

test('a client that has left makes room', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const writer = createFrameWriter({ stdout: createTextWriter(stream), onWrite() {}, most: 1 });
  const writing = writer.write({});
  const room = writer.room();
  stream.destroy(new Error('EPIPE'));
  await Promise.all([writing, room]);
  await writer.write({ to: 'nobody' });
});
