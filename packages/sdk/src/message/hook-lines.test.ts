import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SDKMessage } from '@rondo/protocol';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { afterAll, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';

const root = mkdtempSync(join(tmpdir(), 'rondo-hook-lines-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
// Real processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

async function hookLines(more: Options) {
  const model = scriptedModel([call('Write', { file_path: 'a', content: 'x' }), say('done')]);
  const options: Options = {
    model,
    cwd: root,
    home: join(root, 'home'),
    env: { PATH: process.env['PATH'] },
    settingSources: [],
    allowedTools: ['Write'],
    hooks: { PostToolUse: [{ hooks: [() => Promise.reject(new Error('broken'))] }] },
    settings: {
      hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'echo out; echo err >&2' }] }] },
    },
    ...more,
  };
  const lines = await collectMessages(query({ prompt: 'go', options }));
  return lines.flatMap((line) => (line.type === 'system' && 'hook_id' in line ? [line] : []));
}

test('hooks that begin, write and end are told where that is asked for', async () => {
  const lines = await hookLines({ includeHookEvents: true });
  for (const line of lines) expect(SDKMessage.safeParse(line).success).toBe(true);
  const ended = lines.filter(({ subtype }) => subtype !== 'hook_progress');
  const before = { hook_name: 'PreToolUse:Write', hook_event: 'PreToolUse' };
  const after = { hook_name: 'PostToolUse:Write', hook_event: 'PostToolUse' };
  expect(ended).toMatchObject([
    { subtype: 'hook_started', ...before },
    { subtype: 'hook_response', ...before, stdout: 'out\n', stderr: 'err\n', exit_code: 0, outcome: 'success' },
    { subtype: 'hook_started', ...after },
    { subtype: 'hook_response', ...after, output: '', outcome: 'error' },
  ]);
  expect(ended[0]?.hook_id).toBe(ended[1]?.hook_id);
  const progress = lines.filter(({ subtype }) => subtype === 'hook_progress');
  expect(progress.at(-1)).toMatchObject({ ...before, stdout: 'out\n', stderr: 'err\n' });
  expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length);
});

test('else they are not', async () => {
  expect(await hookLines({})).toEqual([]);
});

test('the start of a session is told whoever asks, and what keeps a turn from its end is no word of the person', async () => {
  let stops = 0;
  const model = scriptedModel([say('draft'), say('done')]);
  const stop = () => Promise.resolve(stops++ === 0 ? { decision: 'block' as const, reason: 'run the tests' } : {});
  const hooks = { SessionStart: [{ hooks: [() => Promise.resolve({})] }], Stop: [{ hooks: [stop] }] };
  const options: Options = { model, cwd: root, home: join(root, 'home'), env: {}, settingSources: [], hooks };
  const lines = await collectMessages(query({ prompt: 'go', options }));
  const told = lines.flatMap((line) => (line.type === 'system' && 'hook_id' in line ? [line] : []));
  expect(told).toMatchObject([
    { subtype: 'hook_started', hook_name: 'SessionStart:startup' },
    { subtype: 'hook_response', outcome: 'success' },
  ]);
  const feedback = lines.find((line) => line.type === 'user');
  expect(feedback).toMatchObject({ isSynthetic: true });
  expect(JSON.stringify(feedback)).toContain('Stop hook feedback');
});

test('a prompt that a hook blocks is a result with the reason, without a request', async () => {
  const block = () => Promise.resolve({ decision: 'block' as const, reason: 'no secrets' });
  const hooks = { UserPromptSubmit: [{ hooks: [block] }] };
  const model = scriptedModel([]);
  const options: Options = { model, cwd: root, home: join(root, 'home'), env: {}, settingSources: [], hooks };
  const lines = await collectMessages(query({ prompt: 'go', options }));
  const result = lines.at(-1);
  expect(result).toMatchObject({ type: 'result', subtype: 'success', is_error: false, result: 'no secrets' });
  expect(result).not.toHaveProperty('terminal_reason');
  expect(model.requests).toHaveLength(0);
});
