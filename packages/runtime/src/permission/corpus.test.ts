import { expect, test } from 'vitest';
import { checkPermissionCase, type PermissionCase } from '../testing/permission-case.ts';
import { permissionCorpus } from '../testing/permission-corpus.ts';
import { judgeCase } from '../testing/judge-case.ts';
import { explainDecision } from './explain-decision.ts';

const corpus = permissionCorpus();
const areas = Map.groupBy(corpus, ({ id }) => id.slice(0, id.indexOf('/')));

test('the corpus has its cases, each under a name of its own and with its why', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(400);
  expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
  for (const { id, why } of corpus) expect([id, why.length > 3]).toEqual([id, true]);
});

test.each([...areas.keys()])('issue 5, accept 1: every case of %s comes to what it should', async (area) => {
  const wrong: string[] = [];
  for (const each of areas.get(area) ?? []) {
    await checkPermissionCase(each, judgeCase, { steps: true }).catch((error: Error) => wrong.push(error.message));
  }
  expect(wrong).toEqual([]);
});

test.each([...areas.keys()])(
  'issue 5, accept 10: of every case of %s the explanation says the rule, its source and the reason that the engine used',
  async (area) => {
    for (const each of areas.get(area) ?? []) {
      const judged = await judgeCase(each);
      const explained = explainDecision(judged);
      expect(explained).toContain(judged.reason);
      if (judged.rule !== undefined) expect(explained).toContain(judged.rule);
      if (judged.source !== undefined && judged.reasonType === 'rule') expect(explained).toContain(judged.source);
      expect([each.id, judged.reason.length > 5]).toEqual([each.id, true]);
    }
  },
);

test('an engine that allows everything fails the corpus, and so does one that denies everything', async () => {
  const failures = async (decision: PermissionCase['expected']) => {
    const results = await Promise.allSettled(corpus.map((each) => checkPermissionCase(each, () => ({ decision }))));
    return results.filter(({ status }) => status === 'rejected').length;
  };
  expect(await failures('allow')).toBeGreaterThan(corpus.length / 2);
  expect(await failures('deny')).toBeGreaterThan(corpus.length / 4);
});
