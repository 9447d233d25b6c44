import { join } from 'node:path';
import type { Plugin } from 'vite';
import { createVitest, type TestCase, type TestModule } from 'vitest/node';
import { reading } from '../../../../vitest.config.ts';
import { mutate, type Mutation } from './mutation.ts';

export interface TestOutcome {
  /** Its own title behind those of the `describe`s around it. */
  readonly titles: readonly string[];
  readonly hasPassed: boolean;
}

/** Runs test files with one piece of source changed, or none. */
export interface MutationRun extends AsyncDisposable {
  /** How each test of the file that ran has ended. A file that does not load has none. */
  run(testFile: string, mutation?: Mutation): Promise<TestOutcome[]>;
}

/**
 * One Vitest for many runs: it reads a source once, each run is a process of its own. A mutation takes its piece's place
 * as the source is read, and no file changes.
 * @param titles what the whole title of a test has to match to be run.
 */
export async function startMutationRun(root: string, titles: RegExp): Promise<MutationRun> {
  let current: Mutation | undefined;
  const mutatedSource: Plugin = {
    name: 'mutated-source',
    enforce: 'pre',
    transform(text, id) {
      if (current === undefined || id.split('?', 1)[0] !== join(root, current.file)) return undefined;
      return { code: mutate(text, current), map: null };
    },
  };
  const vitest = await createVitest(
    'test',
    {
      root,
      // Not the repository's own, whose tests in `tooling/e2e` build the command first.
      config: false,
      watch: false,
      include: ['{packages,apps,tooling}/*/src/**/*.test.ts'],
      // A mutant may wait for what never comes; a test that holds takes a part of this.
      testTimeout: 5_000,
      hookTimeout: 10_000,
      // What is kept there outlives the run, and a source that has not changed is read from there.
      fsModuleCache: false,
      reporters: [{}],
      testNamePattern: titles,
    },
    { ...reading, plugins: [...reading.plugins, mutatedSource] },
  );

  return {
    async run(testFile, mutation) {
      const specifications = await vitest.globTestSpecifications([join(root, testFile)]);
      if (specifications.length === 0) throw new Error(`there is no test file ${testFile}`);
      current = mutation;
      if (mutation !== undefined) vitest.invalidateFile(join(root, mutation.file));
      try {
        const { testModules } = await vitest.runTestSpecifications(specifications);
        // Those of earlier runs are among them.
        return testModules.filter(({ moduleId }) => moduleId === join(root, testFile)).flatMap(outcomesOf);
      } finally {
        current = undefined;
        if (mutation !== undefined) vitest.invalidateFile(join(root, mutation.file));
      }
    },
    async [Symbol.asyncDispose]() {
      await vitest.close();
    },
  };
}

function outcomesOf(module: TestModule): TestOutcome[] {
  const outcomes: TestOutcome[] = [];
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed' || state === 'failed')
      outcomes.push({ titles: titlesOf(test), hasPassed: state === 'passed' });
  }
  return outcomes;
}

function titlesOf(test: TestCase): string[] {
  const titles = [test.name];
  for (let { parent } = test; parent.type === 'suite'; parent = parent.parent) titles.unshift(parent.name);
  return titles;
}
