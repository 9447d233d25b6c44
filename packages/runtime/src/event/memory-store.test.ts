import { describe, test } from 'vitest';
import { eventStoreConformance } from '../testing/event-store-conformance.ts';
import { createMemoryStore } from './memory-store.ts';

describe('the memory store', () => {
  for (const { name, run } of eventStoreConformance) {
    test(name, () => {
      const store = createMemoryStore();
      return run(() => ({ open: () => store, dispose: () => undefined }));
    });
  }
});
