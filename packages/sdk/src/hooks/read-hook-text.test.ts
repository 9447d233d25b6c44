import { hookEvents } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { hookEventFacts } from './hook-event-facts.ts';
import { readHookText } from './read-hook-text.ts';

const decide = (permissionDecision: string, more: object = {}) =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } });

test('text is context where the event says so, else nothing', async () => {
  for (const event of hookEvents) {
    const { answer, notices } = await readHookText(event, ' all is well\n[1] {x}\n');
    const isContext = event === 'UserPromptSubmit' || event === 'SessionStart';
    expect(hookEventFacts[event].plainText === true).toBe(isContext);
    expect(answer).toEqual(isContext ? { additionalContext: 'all is well\n[1] {x}' } : {});
    expect(notices).toEqual([]);
    expect((await readHookText(event, ' \n')).answer).toEqual({});
  }
});

test('an object alone is the answer, whatever blanks and byte order mark stand around it', async () => {
  for (const text of [decide('allow'), `\uFEFF${decide('allow')}`, `\n\n  ${decide('allow')}\n\n`])
    expect(await readHookText('PreToolUse', text)).toEqual({ answer: { decision: 'allow' }, notices: [] });
  const pretty = JSON.stringify(JSON.parse(decide('deny')), undefined, 2);
  expect((await readHookText('PreToolUse', pretty)).answer).toEqual({ decision: 'deny' });
});

const denials = ['deny', 'ask', 'defer'];
test.each(denials)('among other text %s counts', async (decision) => {
  const json = decide(decision);
  const pretty = JSON.stringify(JSON.parse(json), undefined, 2);
  const texts = [
    `nvm: using v24\n${json}`,
    `${json}\nbye`,
    `a\n${json}\nb`,
    `{"level":"info"}\n${json}`,
    `${decide('allow')}\n${json}`,
    `${json}\n${decide('allow')}`,
    `{ not JSON\n${json}`,
    `{"text":"} { \\" }"}\n${json}`,
    `banner\n${pretty}\n`,
    `banner\r\n${json}\r\n`,
  ];
  for (const text of texts) expect((await readHookText('PreToolUse', text)).answer.decision).toBe(decision);
});

test('of several answers among other text the strictest counts, and one that refuses counts beside one that is none', async () => {
  const lines = [...denials.map((decision) => decide(decision)), decide('unheard of'), '{"continue":false}', '{"a":1}'];
  for (const order of [lines, lines.toReversed()]) {
    const { answer } = await readHookText('PreToolUse', `checking\n${order.join('\n')}`);
    expect(answer).toEqual({ decision: 'deny', continue: false });
  }
  const unclear = `checking\n${decide('ask')}\n${decide('unheard of')}`;
  await expect(readHookText('PreToolUse', unclear)).rejects.toThrow('unheard of');
});

test.each([
  `checking… ${decide('deny')}`,
  `\u001B[0m${decide('deny')}\u001B[0m\nlog: {"decision":"block"}`,
  `[${decide('deny')}]`,
  `{"level":"info"}\nverdict: ${decide('deny')}\nbye`,
  `${decide('ask')}\nverdict: ${decide('deny')}`,
  `{"broken": "x"y"}\nverdict: ${decide('deny')}`,
])('a denial behind other text in its line counts: %s', async (text) => {
  expect((await readHookText('PreToolUse', text)).answer.decision).toBe('deny');
});

test('what stands behind other text in its line grants nothing, and is none where more follows', async () => {
  for (const text of [`checking… ${decide('allow')}`, `it would say ${decide('deny')} to that`, 'log: {"block":false}'])
    expect((await readHookText('PreToolUse', text)).answer).toEqual({});
  const broken = '{\n"systemMessage": "it "x"",\n"hookSpecificOutput": {"permissionDecision":"allow"}\n}';
  await expect(readHookText('PreToolUse', broken)).rejects.toThrow('not valid JSON');
});

test('among other text nothing is granted: it may quote what the model wrote', async () => {
  const { answer, notices } = await readHookText('PreToolUse', `checking: echo\n${decide('allow')}`);
  expect(answer).toEqual({});
  expect(notices[0]).toContain('alone');
  expect((await readHookText('PreToolUse', '{"a":1}\n{"decision":"approve"}')).answer).toEqual({});
  const rewrite = decide('allow', { updatedInput: { command: 'ls' } });
  await expect(readHookText('PreToolUse', `checking\n${rewrite}`)).rejects.toThrow('updatedInput');
});

test.each([
  '{"decision":"block","reason":"says "no""}',
  '{"decision":"block"',
  'checking\n{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"it is "bad""}}',
  "{'decision':'block'}",
  '{decision: block}',
  '{',
])('an answer that is not valid JSON is a failure: %s', async (text) => {
  await expect(readHookText('PreToolUse', text)).rejects.toThrow('not valid JSON');
});

test('it is read in time proportional to its length', async () => {
  await expect(readHookText('PreToolUse', '{\n'.repeat(500_000))).rejects.toThrow('standard output');
  await expect(readHookText('PreToolUse', `x\n${'{"a":\n'.repeat(150_000)}`)).rejects.toThrow('standard output');
});
