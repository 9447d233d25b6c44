import assert from 'node:assert/strict';
import { assertRejects, storeCase } from './conformance-case.ts';
import { createEventScript, sampleBinding } from './event-script.ts';

const sessionId = '9d3f6b7a-1c2e-4d5f-8a9b-0c1d2e3f4a5b';
const bytes = new TextEncoder().encode('a blob, éü');
const hash = 'sha256-60cfe1c34f0d5c2b4a1d7ef1f2b4c9d0e3a5968778695a4b3c2d1e0f00112233';

export const blobConformance = [
  storeCase('keeps bytes by their hash, once', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const blobs = store.blobs(sessionId);
    const reference = await blobs.write(bytes);
    assert.match(reference.hash, /^sha256-[0-9a-f]{64}$/);
    assert.equal(reference.bytes, bytes.length);
    assert.deepEqual(await blobs.write(bytes.slice()), reference);
    await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
    await log.release();
    const next = await open();
    assert.deepEqual(new Uint8Array(await next.blobs(sessionId).read(reference.hash)), bytes);
    assert.deepEqual(await next.blobs(sessionId).write(bytes), reference);
  }),

  storeCase('names bytes by SHA-256', async (open) => {
    const store = await open();
    await store.create(sessionId);
    const { hash: ofAbc } = await store.blobs(sessionId).write(new TextEncoder().encode('abc'));
    assert.equal(ofAbc, 'sha256-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  }),

  storeCase('reads a part of a blob, and what there is of it', async (open) => {
    const store = await open();
    await store.create(sessionId);
    const blobs = store.blobs(sessionId);
    const reference = await blobs.write(bytes);
    const part = async (offset: number, length: number) =>
      new Uint8Array(await blobs.read(reference.hash, { offset, length }));
    assert.deepEqual(await part(2, 4), bytes.slice(2, 6));
    assert.deepEqual(await part(bytes.length - 1, 10), bytes.slice(-1));
    assert.deepEqual(await part(bytes.length + 5, 10), new Uint8Array(0));
    assert.deepEqual(await part(0, 0), new Uint8Array(0));
  }),

  storeCase('keeps an empty blob', async (open) => {
    const store = await open();
    await store.create(sessionId);
    const reference = await store.blobs(sessionId).write(new Uint8Array(0));
    assert.deepEqual(new Uint8Array(await store.blobs(sessionId).read(reference.hash)), new Uint8Array(0));
  }),

  storeCase('writes the same bytes at once, once', async (open) => {
    const store = await open();
    await store.create(sessionId);
    const references = await Promise.all([1, 2, 3].map(() => store.blobs(sessionId).write(bytes)));
    for (const reference of references)
      assert.deepEqual(new Uint8Array(await store.blobs(sessionId).read(reference.hash)), bytes);
  }),

  storeCase('says that a blob is not there', async (open) => {
    const store = await open();
    await store.create(sessionId);
    await assertRejects(store.blobs(sessionId).read(hash), 'blob.not_found');
    await assertRejects(store.blobs(sessionId).read('../log.jsonl'), 'blob.not_found');
  }),
];
