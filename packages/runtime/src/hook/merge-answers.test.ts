import { describe, expect, test } from 'vitest';
import type { HookAnswer } from './event-hook.ts';
import type { EventOutcome } from './event-outcome.ts';
import { mergeAnswers } from './merge-answers.ts';

const decisions = [undefined, 'allow', 'ask', 'defer', 'deny', 'block'] as const;
const strictness = [undefined, 'allow', 'ask', 'defer', 'deny'] as const;
const said = (...answers: HookAnswer[]) =>
  answers.map((answer, index) => ({ hook: `hook ${index}`, outcome: { type: 'answer', answer } as const }));
const decided = (decision: HookAnswer['decision'], more: HookAnswer = {}): HookAnswer => ({
  ...(decision === undefined ? {} : { decision }),
  ...more,
});
const failed = (failOpen: boolean): EventOutcome => ({
  type: 'failed',
  failure: 'threw',
  message: 'failed: x',
  failOpen,
});

describe('the strictest counts', () => {
  const pairs = decisions.flatMap((one) => decisions.map((other) => [one, other] as const));

  test.each(pairs)('%s and %s', (one, other) => {
    const levels = [one, other].map((decision) => strictness.indexOf(decision === 'block' ? 'deny' : decision));
    const verdict = mergeAnswers('PreToolUse', said(decided(one), decided(other)), { n: 1 });
    expect(verdict.decision).toBe(strictness[Math.max(...levels)]);
  });

  test.each(decisions)('a hook that failed denies, whatever the other says: %s', (decision) => {
    const both = [...said(decided(decision)), { hook: 'broken', outcome: failed(false) }];
    expect(mergeAnswers('PreToolUse', both, {}).decision).toBe('deny');
    expect(mergeAnswers('PreToolUse', both.reverse(), {}).decision).toBe('deny');
  });

  test('one that fails open has no opinion, and never allows', () => {
    expect(mergeAnswers('PreToolUse', [{ hook: 'broken', outcome: failed(true) }], {}).decision).toBeUndefined();
  });

  test('where nothing can be denied, a failure decides nothing', () => {
    expect(mergeAnswers('PostToolUse', [{ hook: 'broken', outcome: failed(false) }]).decision).toBeUndefined();
  });

  test('a decision that the event does not know counts for nothing', () => {
    expect(mergeAnswers('PermissionRequest', said(decided('ask'), decided('allow')), {}).decision).toBe('allow');
    expect(mergeAnswers('SessionStart', said(decided('deny'))).decision).toBeUndefined();
  });
});

describe('what is put in place', () => {
  test.each([
    ['no opinion', {}, {}],
    ['an allow each', { decision: 'allow' }, { decision: 'allow' }],
    ['an ask', { decision: 'ask' }, {}],
    ['a deferral', {}, { decision: 'defer' }],
  ] as const)('by two hooks is denied where it differs, whatever they decide: %s', (_name, one, other) => {
    const both = said({ ...one, updatedInput: { n: 1 } }, { ...other, updatedInput: { n: 2 } });
    for (const order of [both, both.toReversed()])
      expect(mergeAnswers('PreToolUse', order, { n: 0 })).toMatchObject({
        decision: 'deny',
        reason: expect.stringContaining('put different arguments in place'),
      });
  });

  test('counts of those that do not deny, and is none where it came so', () => {
    const beside = said({ updatedInput: { n: 2 } }, { decision: 'deny', reason: 'no', updatedInput: { n: 3 } });
    expect(mergeAnswers('PreToolUse', beside, { n: 0 })).toMatchObject({ decision: 'deny', reason: 'no' });
    const echoing = said({ updatedInput: { n: 2 } }, { decision: 'allow', updatedInput: { n: 0 } });
    for (const order of [echoing, echoing.toReversed()])
      expect(mergeAnswers('PreToolUse', order, { n: 0 })).toEqual({ updatedInput: { n: 2 }, contexts: [] });
    expect(mergeAnswers('PreToolUse', echoing.slice(1), { n: 0 })).toMatchObject({ decision: 'allow' });
  });

  test('a result is the last of them', () => {
    const both = said({ updatedToolOutput: 'one' }, { updatedToolOutput: 'two' });
    expect(mergeAnswers('PostToolUse', both).updatedToolOutput).toBe('two');
  });

  test('an allow is none for the arguments of another hook', () => {
    const allowThenRewrite = said({ decision: 'allow' }, { updatedInput: { n: 2 } });
    expect(mergeAnswers('PreToolUse', allowThenRewrite, { n: 1 })).toMatchObject({ updatedInput: { n: 2 } });
    expect(mergeAnswers('PreToolUse', allowThenRewrite, { n: 1 }).decision).toBeUndefined();
    expect(mergeAnswers('PermissionRequest', allowThenRewrite, { n: 1 }).decision).toBeUndefined();
  });

  test('an allow is for the arguments that its hook put in place, in whatever order their names are', () => {
    const own = said({ decision: 'allow', updatedInput: { a: 1, b: 2 } }, { updatedInput: { b: 2, a: 1 } });
    expect(mergeAnswers('PreToolUse', own, {}).decision).toBe('allow');
  });

  test('reasons, contexts and the stop come in the order of the hooks', () => {
    const verdict = mergeAnswers(
      'PreToolUse',
      said(
        { decision: 'deny', reason: 'first', additionalContext: 'one' },
        { decision: 'allow', reason: 'never', continue: false, stopReason: 'enough' },
        { decision: 'block', reason: 'second', additionalContext: 'two', continue: false },
      ),
    );
    expect(verdict).toMatchObject({
      decision: 'deny',
      reason: 'first\nsecond',
      hook: 'hook 0',
      contexts: ['one', 'two'],
      stop: { hook: 'hook 1', reason: 'enough' },
    });
  });

  test('permissions count of those that allow, and with an allow alone; an interrupt with a deny', () => {
    const update = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;
    const allowing = said({ decision: 'allow', updatedPermissions: [update] });
    expect(mergeAnswers('PermissionRequest', allowing, {}).updatedPermissions).toEqual([update]);
    const rewriting = said({ decision: 'allow', updatedInput: { n: 2 } });
    const ofOthers = mergeAnswers('PermissionRequest', [...allowing, ...rewriting], { n: 1 });
    expect(ofOthers).toMatchObject({ decision: 'allow', updatedInput: { n: 2 } });
    expect(ofOthers.updatedPermissions).toBeUndefined();
    const denied = mergeAnswers('PermissionRequest', [...allowing, ...said({ decision: 'deny', interrupt: true })], {});
    expect(denied.updatedPermissions).toBeUndefined();
    expect(denied.interrupt).toBe(true);
    expect(
      mergeAnswers('PermissionRequest', said({ decision: 'allow', interrupt: true }), {}).interrupt,
    ).toBeUndefined();
  });
});
