import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

// Tests read source: the condition resolves workspace packages to src, so nothing needs a build first.
const conditions = ['@rondo/source', 'node', 'import', 'default'];

const seeded = fileURLToPath(new URL('tooling/check/src/seeded-fast-check.ts', import.meta.url));

/** Gives tests a fast-check with a fixed seed. */
const seededFastCheck: Plugin = {
  name: 'seeded-fast-check',
  enforce: 'pre',
  resolveId: (id, importer) => (id === 'fast-check' && importer !== seeded ? seeded : undefined),
};

/** How tests read the workspace. */
export const reading = {
  plugins: [seededFastCheck],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};

export default defineConfig({
  test: {
    // Tests of processes wait for those more than they work: a worker for each core keeps all of them busy.
    maxWorkers: '100%',
    projects: [
      {
        ...reading,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'apps/*/{src,build}/**/*.test.ts', 'tooling/*/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'tooling/e2e/**'],
        },
      },
      {
        ...reading,
        test: {
          name: 'e2e',
          include: ['tooling/e2e/src/**/*.test.ts'],
          globalSetup: ['tooling/e2e/src/build-command.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
