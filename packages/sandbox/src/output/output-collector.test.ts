import { outputGap, shortenOutput } from '@rondo/runtime';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOutputCollector } from './output-collector.ts';

const limit = 60;

async function collect(pieces: readonly { readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }[]) {
  const collector = createOutputCollector({ outputLimit: limit, fileLimit: Infinity, onDrain: () => undefined });
  for (const { stream, bytes } of pieces) collector.write(stream, bytes);
  return collector.finish();
}

const text = fc
  .array(fc.constantFrom('x', 'yy', '\n', '\u00e9', '\u20ac', '\u{1f600}'), { maxLength: 200 })
  .map((parts) => parts.join(''));

it('keeps of any stream in any pieces what shortening the whole would keep', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), async (output, sizes) => {
      const bytes = Buffer.from(output);
      const pieces = [];
      for (let at = 0, index = 0; at < bytes.length; index += 1) {
        const size = sizes[index % sizes.length] ?? 1;
        pieces.push({ stream: 'stdout' as const, bytes: bytes.subarray(at, at + size) });
        at += size;
      }
      const { stdout, stderr, outputBytes, outputTruncated } = await collect(pieces);
      expect(stdout).toBe(shortenOutput(output, limit));
      expect({ stderr, outputBytes, outputTruncated }).toEqual({
        stderr: '',
        outputBytes: bytes.length,
        outputTruncated: output.length > limit,
      });
    }),
  );
});

it('shares the limit between the streams', async () => {
  const lines = (letter: string, count: number) => Buffer.from(`${letter}\n`.repeat(count));
  const both = await collect([
    { stream: 'stdout', bytes: lines('o', 500) },
    { stream: 'stderr', bytes: lines('e', 500) },
  ]);
  expect(both.stdout.replace(outputGap, '').length + both.stderr.replace(outputGap, '').length).toBeLessThanOrEqual(
    limit + 2,
  );
  expect(both.stderr.replace(outputGap, '').match(/e/g)?.length).toBe(10);
  const small = await collect([
    { stream: 'stdout', bytes: lines('o', 500) },
    { stream: 'stderr', bytes: Buffer.from('why\n') },
  ]);
  expect(small.stderr).toBe('why\n');
  expect(small.outputTruncated).toBe(true);
});
