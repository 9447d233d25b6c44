import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { changedLogs, foldNames, foldsPath, goldenFolds, type Folds } from '../../fixtures/golden-folds.ts';

// The first log that is read loads every schema there is.
vi.setConfig({ testTimeout: 60_000 });

const before: Folds = JSON.parse(readFileSync(foldsPath, 'utf8'));

test.each(foldNames)(
  'what golden logs fold to changes only with %s, which tells old snapshots and rows from new ones',
  async (name) => {
    const now = (await goldenFolds())[name];
    const changed = changedLogs(now, before[name]);
    const wayOn =
      now.version > before[name].version
        ? 'run "npm run folds" and commit packages/runtime/fixtures/folds.json'
        : `raise ${name} above ${before[name].version} and run "npm run folds"`;
    expect(changed, `the fold gives another state for the same log: ${wayOn}`).toEqual([]);
    expect(now.version, `${name} was lowered: raise it and run "npm run folds"`).toBeGreaterThanOrEqual(
      before[name].version,
    );
    expect(Object.keys(before[name].logs), 'a golden log is new: run "npm run folds"').toEqual(Object.keys(now.logs));
  },
);

test('a fold that gives something else is seen, whichever log says so', async () => {
  const { FOLD_VERSION: fold } = await goldenFolds();
  const [log = ''] = Object.keys(fold.logs);
  expect(changedLogs({ ...fold, logs: { ...fold.logs, [log]: 'other' } }, fold)).toEqual([log]);
});
