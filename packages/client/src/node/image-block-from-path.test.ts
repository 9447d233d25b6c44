import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageBlockFromPath } from './image-block-from-path.ts';

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rondo-image-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/** A PNG of exactly that many bytes. */
function padded(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(png);
  return bytes;
}

test('content.image.fromPath.readsFile: the data URI decodes to the bytes, the type is theirs and not the name’s', async () => {
  const bytes = padded(100);
  const block = await imageBlockFromPath(await file('photo.jpg', bytes));
  expect(block.mediaType).toBe('image/png');
  expect(block.uri.startsWith('data:image/png;base64,')).toBe(true);
  expect(new Uint8Array(Buffer.from(block.uri.split(',')[1] ?? '', 'base64'))).toEqual(bytes);
});

test('content.image.fromPath.path: a string and a file URL give equal blocks, nothing is an argument error', async () => {
  const path = await file('same.png', padded(20));
  expect(await imageBlockFromPath(pathToFileURL(path))).toEqual(await imageBlockFromPath(path));
  await expect(Reflect.apply(imageBlockFromPath, undefined, [])).rejects.toBeInstanceOf(TypeError);
});

test('content.image.fromPath.mediaType, content.image.fromPath.altText, content.image.fromPath.annotations: what is given wins', async () => {
  const path = await file('given.png', padded(20));
  const options = { mediaType: 'image/x-test', altText: 'a test', annotations: { priority: 1 } };
  expect(await imageBlockFromPath(path, options)).toMatchObject(options);
  const misnamed = await imageBlockFromPath(await file('x.jpg', padded(20)));
  expect(misnamed.mediaType).toBe('image/png');
  expect(Object.keys(misnamed).sort()).toEqual(['mediaType', 'type', 'uri']);
});

test('content.image.fromPath.limit, content.image.fromPath.limitValueError: 7,500,000 bytes are taken and one more is a value error', async () => {
  const block = await imageBlockFromPath(await file('large.png', padded(7_500_000)));
  expect(block.uri.length - 'data:image/png;base64,'.length).toBe(10_000_000);
  const tooLarge = imageBlockFromPath(await file('too-large.png', padded(7_500_001)));
  await expect(tooLarge).rejects.toThrow(/too-large\.png is over 7500000 bytes/);
  await expect(tooLarge).rejects.toBeInstanceOf(TypeError);
});

test('bytes that are no image are refused, and so is a file that is not there', async () => {
  await expect(imageBlockFromPath(await file('note.png', new TextEncoder().encode('hello')))).rejects.toThrow(
    /not a PNG/,
  );
  await expect(imageBlockFromPath(join(folder, 'missing.png'))).rejects.toMatchObject({ code: 'ENOENT' });
});
