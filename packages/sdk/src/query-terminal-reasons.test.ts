import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, callMalformed, fail, say, scriptedModel } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer } from './mcp/create-sdk-mcp-server.ts';
import { tool } from './mcp/tool.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { collectFailing, collectMessages } from './testing/collect-messages.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'rondo-reasons-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('malformed_tool_use_exhausted: five replies in a row whose calls are no JSON end the turn, four do not', async () => {
  const broken = [callMalformed('Read', '{"file_path":')];
  const four = scriptedModel([broken, broken, broken, broken, [say('I give up.')]]);
  const options: Options = { home, cwd: home };
  const good = await collectMessages(query({ prompt: 'Go.', options: { ...options, model: four } }));
  expect(good.at(-1)).toMatchObject({ result: 'I give up.', terminal_reason: 'completed' });

  const five = scriptedModel([broken, broken, broken, broken, broken]);
  const messages = await collectFailing(query({ prompt: 'Go.', options: { ...options, model: five } }));
  expect(messages.at(-1)).toMatchObject({
    subtype: 'error_during_execution',
    terminal_reason: 'malformed_tool_use_exhausted',
  });
  expect(five.requests).toHaveLength(5);
});

test('image_error: a vendor that refuses an image', async () => {
  const model = scriptedModel([
    fail('model.request_invalid', {}, 'messages.0.content.1: image exceeds the maximum size'),
  ]);
  const messages = await collectFailing(query({ prompt: 'Look.', options: { home, cwd: home, model } }));
  expect(messages.at(-1)).toMatchObject({ is_error: true, terminal_reason: 'image_error' });
});

test('tool_deferred_unavailable: the tool of a call that was left is not there, and the call waits on', async () => {
  const ran: unknown[] = [];
  const pay = tool('pay', 'Pays.', { amount: z.number() }, async (input) => {
    ran.push(input);
    return { content: [{ type: 'text', text: 'Paid.' }] };
  });
  const bank = createSdkMcpServer({ name: 'bank', tools: [pay] });
  const closed = createSdkMcpServer({ name: 'bank', tools: [] });
  let decision: 'defer' | 'allow' = 'defer';
  const hooks: Options['hooks'] = {
    PreToolUse: [
      { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision } })] },
    ],
  };
  const model = scriptedModel([[call('mcp__bank__pay', { amount: 3 }, 'toolu_1')]]);
  const first: Options = { home, cwd: home, model, mcpServers: { bank }, hooks };
  const left = await collectMessages(query({ prompt: 'Pay 3.', options: first }));
  const deferred = { id: 'toolu_1', name: 'mcp__bank__pay', input: { amount: 3 } };
  expect(left.at(-1)).toMatchObject({ stop_reason: 'tool_deferred', deferred_tool_use: deferred });
  const resume = left.at(-1)?.session_id ?? '';

  decision = 'allow';
  const later: Options = { home, cwd: home, resume, hooks };
  const without: Options = { ...later, model: scriptedModel([]), mcpServers: { bank: closed } };
  const missing = await collectFailing(query({ prompt: 'Go on.', options: without }));
  expect(missing).toEqual([
    expect.objectContaining({ subtype: 'init' }),
    expect.objectContaining({
      is_error: true,
      stop_reason: 'tool_deferred_unavailable',
      terminal_reason: 'tool_deferred_unavailable',
      deferred_tool_use: deferred,
    }),
  ]);
  expect(ran).toEqual([]);

  const again: Options = { ...later, model: scriptedModel([[say('It is paid.')]]), mcpServers: { bank } };
  const done = await collectMessages(query({ prompt: 'Now.', options: again }));
  expect(done.at(-1)).toMatchObject({ result: 'It is paid.' });
  expect(ran).toEqual([{ amount: 3 }]);
});
