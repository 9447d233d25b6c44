import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-query-debug-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const eventsOf = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event);

test('debugFile holds every event that is kept, and the end', async () => {
  const options = {
    persistSession: false,
    cwd: folder,
    debugFile: 'debug.jsonl',
    model: scriptedModel([[say('Yes.')]]),
  };
  await collectMessages(query({ prompt: 'Well?', options }));
  const events = eventsOf(readFileSync(join(folder, 'debug.jsonl'), 'utf8'));
  expect(events).toContain('turn.started');
  expect(events).toContain('model.completed');
  expect(events.slice(-2)).toEqual(['turn.ended', 'query.ended']);
});

test('debug writes the same to stderr, and how a query failed', async () => {
  let text = '';
  const model = scriptedModel([]);
  const options = { persistSession: false, cwd: folder, debug: true, stderr: (data: string) => (text += data), model };
  await collectMessages(query({ prompt: 'Well?', options })).catch(() => {});
  expect(eventsOf(text).at(-1)).toBe('query.failed');
});

test('a file that cannot be written is an error that names the option, at once', () => {
  const options = { debugFile: join(folder, 'none', 'debug.jsonl'), model: scriptedModel([]) };
  expect(() => query({ prompt: 'Well?', options })).toThrow(/options\.debugFile: .* cannot be written/);
});
