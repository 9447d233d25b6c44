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
