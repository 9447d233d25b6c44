import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKResultMessage } from '@rondo/protocol';
import { call, fail, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';
import { collectMessages } from './testing/collect-messages.ts';

let root = '';
let places = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-auto-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Ran {
  readonly denials: number;
  /** What the folder holds afterwards. */
  readonly files: readonly string[];
  readonly decided: readonly unknown[];
}

const touch = (name: string) => [call('Bash', { command: `touch ${name}; true` }), say('done')];

async function run(
  steps: readonly ScriptedStep[],
  verdicts: readonly ScriptedStep[],
  more: Options = {},
): Promise<Ran> {
  places += 1;
  const home = join(root, `home-${places}`);
  const cwd = join(root, `work-${places}`);
  await mkdir(cwd);
  const options: Options = {
    model: scriptedModel(steps),
    classifierModel: scriptedModel(verdicts),
    permissionMode: 'auto',
    home,
    cwd,
    env: { PATH: process.env['PATH'] },
    ...more,
  };
  const lines = await collectMessages(query({ prompt: 'go', options }));
  const result = lines.findLast((line): line is SDKResultMessage => line.type === 'result');
  const decided: unknown[] = [];
  for await (const event of getSessionEvents(result?.session_id ?? '', { home })) {
    if (event.type === 'tool.decided') decided.push(event);
  }
  return { denials: result?.permission_denials.length ?? -1, files: await readdir(cwd), decided };
}

test('in the mode auto a model answers in the person’s place, and its verdict is logged', async () => {
  const allowed = await run(touch('a'), [say('allow: a new file in the folder')]);
  expect(allowed).toMatchObject({ denials: 0, files: ['a'] });
  expect(allowed.decided).toMatchObject([
    { decision: 'allow', reasonType: 'classifier', reason: 'classifier: a new file in the folder' },
  ]);
  const denied = await run(touch('a'), [say('deny: not wanted')]);
  expect(denied).toMatchObject({ denials: 1, files: [] });
  expect(denied.decided).toMatchObject([{ decision: 'deny', reasonType: 'classifier' }]);
});

test('what is no verdict, and a model that fails, deny where nobody is there to ask', async () => {
  expect(await run(touch('a'), [say('Sure, go ahead.')])).toMatchObject({ denials: 1, files: [] });
  expect(await run(touch('a'), [fail('model.overloaded')])).toMatchObject({ denials: 1, files: [] });
});

test('what a rule denies never comes to the model, and an administrator may switch the mode off', async () => {
  expect(await run(touch('a'), [], { disallowedTools: ['Bash(touch:*)'] })).toMatchObject({ denials: 1, files: [] });
  const managedSettings = { permissions: { disableAutoMode: 'disable' as const } };
  await expect(run(touch('a'), [], { managedSettings })).rejects.toThrow(/switches it off/);
});
