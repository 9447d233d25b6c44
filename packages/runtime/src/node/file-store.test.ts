import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { eventStoreConformance } from '../testing/event-store-conformance.ts';
import { createPowerCutFileSystem } from '../testing/power-cut-file-system.ts';
import { createFileStore } from './file-store.ts';
import { createProcessOwners } from './process-owners.ts';

describe('the file store on a disk', () => {
  for (const { name, run } of eventStoreConformance) {
    test(name, () =>
      run(async () => {
        const home = await mkdtemp(join(tmpdir(), 'rondo-store-'));
        return { open: () => createFileStore({ home }), dispose: () => rm(home, { recursive: true }) };
      }),
    );
  }
});

describe('the file store over its double', () => {
  for (const { name, run } of eventStoreConformance) {
    test(name, () =>
      run(() => {
        const fileSystem = createPowerCutFileSystem();
        const owners = createProcessOwners();
        return { open: () => createFileStore({ home: '/home', fileSystem, owners }), dispose: () => undefined };
      }),
    );
  }
});
