import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createTextWriter } from './text-writer.ts';

test('a slow reader is waited for', async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const writer = createTextWriter(stream);
  let written = false;
  const writing = writer.write('more than four').then(() => {
    written = true;
  });
  await new Promise(setImmediate);
  expect(written).toBe(false);
  expect(String(stream.read())).toBe('more than four');
  await writing;
  expect(written).toBe(true);
});

test('a reader that left ends the output and nothing else', async () => {
  const stream = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const writer = createTextWriter(stream);
  await writer.write('one');
  await new Promise(setImmediate);
  expect(writer.closed.aborted).toBe(true);
  expect(writer.closed.reason).toMatchObject({ code: 'EPIPE' });
  await writer.write('two');
  await writer.flush();
});

test('flush resolves after the last byte has left', async () => {
  const left: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) =>
      setImmediate(() => {
        left.push(String(chunk));
        done();
      }),
  });
  const writer = createTextWriter(stream);
  await writer.write('answer');
  await writer.flush();
  expect(left.join('')).toBe('answer');
});
