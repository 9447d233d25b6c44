import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pauseUntil, say, scriptedModel } from '@rondo/runtime/testing';
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

test('a query that is closed at work writes down its end last, and into no other file', async () => {
  const held = Promise.withResolvers<undefined>();
  const file = join(folder, 'debug.jsonl');
  const model = scriptedModel([[pauseUntil(held.promise), say('Never.')]]);
  const running = query({ prompt: 'Well?', options: { persistSession: false, cwd: folder, debugFile: file, model } });
  await running.next();
  const rest = running.next();
  running.close();
  held.resolve(undefined);
  await rest;
  await running[Symbol.asyncDispose]();
  expect(eventsOf(readFileSync(file, 'utf8')).slice(-2)).toEqual(['turn.ended', expect.stringMatching(/^query\./)]);
});

test('a reader of debug lines that throws is no fault of the query', async () => {
  const stderr = (): void => {
    throw new Error('no reader');
  };
  const options = { persistSession: false, cwd: folder, debug: true, stderr, model: scriptedModel([[say('Yes.')]]) };
  expect((await collectMessages(query({ prompt: 'Well?', options }))).at(-1)).toMatchObject({ result: 'Yes.' });
});
