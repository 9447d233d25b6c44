import { say, scriptedModel } from '@rondo/runtime/testing';
import { expect, test } from 'vitest';
import { query } from '../query.ts';
import { collectFailing } from '../testing/collect-messages.ts';
import { withExtraArguments } from './extra-arguments.ts';
import type { Options } from './options.ts';

const read = (extraArgs: Options['extraArgs'], options: Options = {}): { options: Options; notes: string[] } => {
  const notes: string[] = [];
  return { options: withExtraArguments({ ...options, extraArgs: extraArgs ?? {} }, (text) => notes.push(text)), notes };
};

test('flags are options', () => {
  expect(
    read({
      'max-turns': '3',
      'add-dir': '/a, /b',
      'no-session-persistence': null,
      'json-schema': '{"type":"object"}',
      'append-system-prompt': 'Be brief.',
      'dangerously-skip-permissions': null,
    }).options,
  ).toEqual({
    maxTurns: 3,
    additionalDirectories: ['/a', '/b'],
    persistSession: false,
    outputFormat: { type: 'json_schema', schema: { type: 'object' } },
    systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
  });
});

test('a flag without an option is told, with the nearest that has one', () => {
  const { options, notes } = read({ 'max-turn': '3' }, { maxTurns: 2 });
  expect(options).toEqual({ maxTurns: 2 });
  expect(notes).toEqual([
    'options.extraArgs: no option does what --max-turn does, so it has no effect. Did you mean max-turns?',
  ]);
});

test('what is said twice, or cannot be, is an error', () => {
  expect(() => read({ 'max-turns': '3' }, { maxTurns: 2 })).toThrow(/--max-turns and options\.maxTurns/);
  expect(() => read({ model: null })).toThrow(/--model takes a value/);
  expect(() => read({ 'json-schema': '{' })).toThrow(/--json-schema takes JSON/);
  expect(() => query({ prompt: 'Go.', options: { extraArgs: { 'max-turns': 'many' } } })).toThrow(/options\.maxTurns/);
});

test('a query works by them', async () => {
  const model = scriptedModel([[say('Yes.')]]);
  const options: Options = { model, persistSession: false, extraArgs: { 'max-turns': '1', 'permission-mode': 'plan' } };
  const lines = [];
  for await (const line of query({ prompt: 'Go.', options })) lines.push(line);
  expect(lines[0]).toMatchObject({ subtype: 'init', permissionMode: 'plan' });
  await expect(collectFailing(query({ prompt: 'Go.', options }))).resolves.toBeDefined();
});
