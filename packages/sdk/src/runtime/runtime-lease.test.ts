import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseMemoryRuntime, leaseRuntime } from './runtime-lease.ts';

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'rondo-lease-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

test('a home has one runtime while it is used, and another one after', async () => {
  const [first, second] = await Promise.all([leaseRuntime(home), leaseRuntime(home)]);
  expect(second.runtime).toBe(first.runtime);
  await first.release();
  expect(await second.client.listSessions()[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  await second.release();
  const third = await leaseRuntime(home);
  expect(third.runtime).not.toBe(first.runtime);
  await third.release();
});

test('who comes at any moment of its closing gets an open one', async () => {
  for (let moment = 0; moment < 12; moment += 1) {
    const first = await leaseRuntime(home);
    const leaving = first.release();
    for (let tick = 0; tick < moment; tick += 1) await Promise.resolve();
    const second = await leaseRuntime(home);
    await expect(all(second.client.listSessions())).resolves.toEqual([]);
    await Promise.all([leaving, second.release()]);
  }
});

test('releasing twice releases once', async () => {
  const [first, second] = await Promise.all([leaseRuntime(home), leaseRuntime(home)]);
  await first.release();
  await first.release();
  await expect(all(second.client.listSessions())).resolves.toEqual([]);
  await second.release();
});

test('a runtime in memory is nobody else’s', async () => {
  const first = leaseMemoryRuntime();
  const second = leaseMemoryRuntime();
  expect(second.runtime).not.toBe(first.runtime);
  await Promise.all([first.release(), second.release()]);
  await expect(first.client.session('s').read()).rejects.toThrow(/closed/);
});

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}
