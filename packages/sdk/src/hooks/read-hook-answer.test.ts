import fc from 'fast-check';
import { hookEvents, type HookAnswer, type HookEvent } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { hookEventFacts } from './hook-event-facts.ts';
import { readHookAnswer } from './read-hook-answer.ts';

const forEvent = (hookEventName: string, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });
const answer = async (event: HookEvent, value: unknown): Promise<HookAnswer> =>
  (await readHookAnswer(event, value)).answer;

test.each([
  [{ permissionDecision: 'allow' }, { decision: 'allow' }],
  [
    { permissionDecision: 'deny', permissionDecisionReason: 'no' },
    { decision: 'deny', reason: 'no' },
  ],
  [
    { permissionDecision: 'ask', permissionDecisionReason: 'why' },
    { decision: 'ask', reason: 'why' },
  ],
  [{ permissionDecision: 'defer' }, { decision: 'defer' }],
  [{ updatedInput: { command: 'ls' } }, { updatedInput: { command: 'ls' } }],
  [
    { permissionDecision: 'allow', updatedInput: { command: 'ls' } },
    { decision: 'allow', updatedInput: { command: 'ls' } },
  ],
  [{ additionalContext: 'mind the gap' }, { additionalContext: 'mind the gap' }],
])('PreToolUse says %j', async (fields, expected) => {
  expect(await readHookAnswer('PreToolUse', forEvent('PreToolUse', fields))).toEqual({
    answer: expected,
    notices: [],
  });
});

test('the fields of every event are read', async () => {
  const all = { continue: false, stopReason: 'enough', systemMessage: 'hello', suppressOutput: true };
  for (const event of hookEvents) expect(await readHookAnswer(event, all)).toEqual({ answer: all, notices: [] });
});

test('nothing, and an answer that is not awaited, are no opinion', async () => {
  for (const event of hookEvents)
    for (const value of [undefined, null, {}, { async: true, asyncTimeout: 100 }, { continue: true }])
      expect(await readHookAnswer(event, value)).toEqual({ answer: {}, notices: [] });
});

test.each([
  ['decision: block', { decision: 'block', reason: 'r' }],
  ['decision: deny', { decision: 'deny', reason: 'r' }],
  ['home-made', { block: true, message: 'r' }],
  ['under the name of another event', forEvent('Stop', { permissionDecision: 'deny', permissionDecisionReason: 'r' })],
  ['nameless', { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'r' } }],
  ['at the top', { permissionDecision: 'deny', permissionDecisionReason: 'r' }],
  ['snake case', { hook_specific_output: { permission_decision: 'deny', permission_decision_reason: 'r' } }],
  ['in the form of a request', forEvent('PermissionRequest', { decision: { behavior: 'deny', message: 'r' } })],
  ['in the form of a request, at the top', { decision: { behavior: 'deny', message: 'r' } }],
  [
    'beside an allowance',
    { decision: 'block', reason: 'r', ...forEvent('PreToolUse', { permissionDecision: 'allow' }) },
  ],
  ['beside an unknown field', { decision: 'block', reason: 'r', verdict: 'ok' }],
])('a denial counts however it is written: %s', async (_, value) => {
  for (const event of hookEvents) {
    const { power } = hookEventFacts[event];
    const { decision, reason, systemMessage } = await answer(event, value);
    if (power === 'tells') expect({ decision, systemMessage }).toEqual({ decision: undefined, systemMessage: 'r' });
    else expect({ decision, reason }).toEqual({ decision: power === 'guards' ? 'deny' : 'block', reason: 'r' });
  }
});

test.each([
  forEvent('PostToolUse', { permissionDecision: 'allow' }),
  { hookSpecificOutput: { permissionDecision: 'allow' } },
  { permissionDecision: 'allow' },
  forEvent('PreToolUse', { permission_decision: 'allow' }),
  { hook_specific_output: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } },
  { decision: { behavior: 'allow' } },
  forEvent('PermissionRequest', { decision: { behavior: 'allow' } }),
  { decision: 'allow' },
  { hookSpecificOutput: { hookEventName: 'PreToolUse', decision: 'approve' } },
  { allow: true },
  { ok: true },
])('an allowance that is not in its documented form grants nothing: %j', async (value) => {
  const read = await readHookAnswer('PreToolUse', value).catch((error: unknown) => error);
  if (read instanceof Error) return;
  expect(read).toHaveProperty('answer', {});
  expect(read).not.toHaveProperty('notices', []);
});

test('the older form approves a call, and nothing else', async () => {
  for (const event of hookEvents)
    expect((await answer(event, { decision: 'approve' })).decision).toBe(event === 'PreToolUse' ? 'allow' : undefined);
});

test.each([
  forEvent('PreToolUse', { permissionDecision: 'Allow' }),
  forEvent('PreToolUse', { permissionDecision: true }),
  forEvent('PreToolUse', { permissionDecision: null }),
  forEvent('PreToolUse', { updatedInput: 'ls' }),
  forEvent('PreToolUse', { updatedInput: { at: 1n } }),
  { updatedInput: { command: 'ls' } },
  forEvent('PostToolUse', { updatedInput: { command: 'ls' } }),
  { decision: 'no' },
  { decision: { behavior: 'maybe' } },
  { continue: 'false' },
  { hookSpecificOutput: 'deny' },
  'allow',
  ['allow'],
  42,
  true,
])('what is not understood of a decision is a failure: %s', async (value) => {
  await expect(readHookAnswer('PreToolUse', value)).rejects.toThrow(/\w/);
});

test('a permission request is answered in its own form', async () => {
  const rule = { toolName: 'Bash', ruleContent: 'ls' };
  const update = { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' };
  const allow = { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions: [update] };
  expect(await answer('PermissionRequest', forEvent('PermissionRequest', { decision: allow }))).toEqual({
    decision: 'allow',
    updatedInput: { command: 'ls' },
    updatedPermissions: [update],
  });
  const deny = { behavior: 'deny', message: 'no', interrupt: true };
  expect(await answer('PermissionRequest', forEvent('PermissionRequest', { decision: deny }))).toEqual({
    decision: 'deny',
    reason: 'no',
    interrupt: true,
  });
  const wrong = { behavior: 'allow', updatedPermissions: [{ type: 'addRules', rules: 'all' }] };
  const answered = readHookAnswer('PermissionRequest', forEvent('PermissionRequest', { decision: wrong }));
  await expect(answered).rejects.toThrow('updatedPermissions.0');
  for (const permissionDecision of ['allow', 'ask', 'defer'])
    expect(await answer('PermissionRequest', forEvent('PermissionRequest', { permissionDecision }))).toEqual({});
});

test('context is read in either spelling, where the event has it', async () => {
  for (const event of hookEvents) {
    const has = hookEventFacts[event].context === true;
    for (const field of ['additionalContext', 'additional_context'])
      for (const value of [forEvent(event, { [field]: 'c' }), { [field]: 'c' }])
        expect(await answer(event, value)).toEqual(has ? { additionalContext: 'c' } : {});
  }
});

test('a replaced result is JSON, of PostToolUse only', async () => {
  expect(await answer('PostToolUse', forEvent('PostToolUse', { updatedToolOutput: [{ a: 1 }] }))).toEqual({
    updatedToolOutput: [{ a: 1 }],
  });
  expect(await answer('PostToolUse', forEvent('PostToolUse', { updatedMCPToolOutput: 'x' }))).toEqual({
    updatedToolOutput: 'x',
  });
  expect(await answer('Stop', forEvent('Stop', { updatedToolOutput: 'x' }))).toEqual({});
  const output = readHookAnswer('PostToolUse', forEvent('PostToolUse', { updatedToolOutput: () => 1 }));
  await expect(output).rejects.toThrow('updatedToolOutput');
});

test('what describes wrongly is left out with a notice, and unknown fields are named with the nearest known', async () => {
  const { answer: read, notices } = await readHookAnswer('PreToolUse', {
    systemMesage: 'x',
    reason: 3,
    stopReason: {},
    ...forEvent('PreToolUse', { additionalContext: ['a'], feedback: 'x' }),
  });
  expect(read).toEqual({});
  expect(notices).toEqual(
    expect.arrayContaining([
      'systemMesage is not known; systemMessage is',
      'hookSpecificOutput.feedback is not known',
      'stopReason is no text and is left out',
      'hookSpecificOutput.additionalContext is no text and is left out',
    ]),
  );
});

test('no value that a program may return allows, unless it is the documented allowance', async () => {
  const decisions = fc.constantFrom('allow', 'approve', 'Allow', 'ALLOW', 'yes', 'deny', 'block', true, null, 1);
  const names = fc.constantFrom(
    'decision',
    'permissionDecision',
    'permission_decision',
    'behavior',
    'allow',
    'approve',
  );
  const part = fc.dictionary(names, fc.oneof(decisions, fc.dictionary(names, decisions)));
  const hookEventName = fc.constantFrom('PreToolUse', 'PermissionRequest', 'Stop', undefined);
  const output = fc.record({ whole: part, specific: fc.option(part), hookEventName });
  await fc.assert(
    fc.asyncProperty(
      output,
      fc.constantFrom(...hookEvents),
      async ({ whole, specific, hookEventName: name }, event) => {
        const own = specific === null ? {} : { hookSpecificOutput: { hookEventName: name, ...specific } };
        const read = await readHookAnswer(event, { ...whole, ...own }).catch(() => undefined);
        if (read?.answer.decision !== 'allow') return;
        const inForm =
          event === 'PreToolUse'
            ? (name === event && specific?.['permissionDecision'] === 'allow') || whole['decision'] === 'approve'
            : event === 'PermissionRequest' && name === event && specific !== null;
        expect(inForm).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
