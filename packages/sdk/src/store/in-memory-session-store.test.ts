import { expect, test, vi } from 'vitest';
import { InMemorySessionStore } from './in-memory-session-store.ts';
import { projectKeyOf } from './session-store.ts';
import { sessionStoreCases } from './session-store-cases.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

test.each(sessionStoreCases.map((one) => [one.name, one] as const))('in memory: %s', async (_name, { run }) => {
  await run(() => new InMemorySessionStore());
});

test('a store that forgets what came before fails the cases', async () => {
  const broken = () => {
    const store = new InMemorySessionStore();
    const append = store.append.bind(store);
    store.append = async (key, entries) => {
      await store.delete(key);
      await append(key, entries);
    };
    return store;
  };
  const failed = await Promise.allSettled(sessionStoreCases.map(async ({ run }) => await run(broken)));
  expect(failed.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(3);
});

test('a folder is named by its path', () => {
  expect(projectKeyOf('/home/me/my.project')).toBe('-home-me-my-project');
});
