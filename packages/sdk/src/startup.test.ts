import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Model } from '@rondo/runtime';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { startup } from './startup.ts';
import { collectMessages } from './testing/collect-messages.ts';
import { follow } from './testing/conversation.ts';
import { promptStream, streamOf } from './testing/prompt-stream.ts';

// Sessions load the runtime, the tools and the sandbox; a busy machine takes its time with that.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-startup-'));
  for (const name of ['home', 'work']) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const optionsOf = (model: Model | string, more: Options = {}): Options => ({
  home: join(root, 'home'),
  cwd: join(root, 'work'),
  env: { PATH: process.env['PATH'], HOME: root },
  model,
  ...more,
});

test('a warm query answers its prompt, a text or a stream', async () => {
  const warm = await startup({ options: optionsOf(scriptedModel([say('hello')])) });
  expect((await collectMessages(warm.query('hi'))).at(-1)).toMatchObject({ result: 'hello' });
  const other = await startup({ options: optionsOf(scriptedModel([say('one'), say('two')])) });
  const prompt = promptStream();
  const talk = follow(other.query(prompt), prompt);
  expect(await talk.ask('1')).toMatchObject({ result: 'one' });
  await talk.query.setPermissionMode('plan');
  expect(await talk.ask('2')).toMatchObject({ result: 'two' });
  await talk.end();
});

test('it takes one prompt, and one that says nothing is none', async () => {
  const warm = await startup({ options: optionsOf(scriptedModel([say('hello')])) });
  expect(() => warm.query(' ')).toThrow('prompt is empty');
  const running = warm.query('hi');
  expect(() => warm.query('again')).toThrow('has had its prompt');
  // Closing what is used already stops nothing.
  warm.close();
  await warm[Symbol.asyncDispose]();
  expect((await collectMessages(running)).at(-1)).toMatchObject({ result: 'hello' });
});

describe('closed unused', () => {
  test('it leaves nothing behind, and takes no prompt', async () => {
    const model = scriptedModel([]);
    const warm = await startup({ options: optionsOf(model) });
    warm.close();
    warm.close();
    await warm[Symbol.asyncDispose]();
    expect(() => warm.query('hi')).toThrow('was closed');
    expect(readdirSync(join(root, 'home'))).toEqual([]);
    expect(model.requests).toHaveLength(0);
  });

  test('a session that it would have gone on with is as it was', async () => {
    const model = scriptedModel([say('one'), say('two')]);
    const id = (await collectMessages(query({ prompt: 'hi', options: optionsOf(model) })))[0]?.session_id ?? '';
    const before = sizes();
    {
      await using warm = await startup({ options: optionsOf(model, { resume: id }) });
      expect(typeof warm.query).toBe('function');
    }
    expect(sizes()).toEqual(before);
    await using warm = await startup({ options: optionsOf(model, { resume: id }) });
    expect((await collectMessages(warm.query('more'))).at(-1)).toMatchObject({ result: 'two' });
  });

  function sizes(): readonly string[] {
    return readdirSync(join(root, 'home'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    );
  }
});

test('while it waits others work with the session, and it goes on from there', async () => {
  const model = scriptedModel([say('one'), say('two'), say('three')]);
  const id = (await collectMessages(query({ prompt: 'hi', options: optionsOf(model) })))[0]?.session_id ?? '';
  const warm = await startup({ options: optionsOf(model, { resume: id }) });
  await collectMessages(query({ prompt: 'between', options: optionsOf(model, { resume: id }) }));
  expect((await collectMessages(warm.query('after'))).at(-1)).toMatchObject({ result: 'three' });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('between');
});

test('settings that change while it waits count for its first turn', async () => {
  const edit = call('Write', { file_path: 'cat', content: 'x' });
  const warm = await startup({
    options: optionsOf(scriptedModel([edit, say('done')]), { permissionMode: 'acceptEdits' }),
  });
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] };
  writeFileSync(join(root, 'home', 'settings.json'), JSON.stringify({ hooks }));
  expect((await collectMessages(warm.query('go'))).at(-1)).toMatchObject({ result: 'done' });
  expect(existsSync(join(root, 'work', 'cat'))).toBe(false);
});

describe('what keeps a query from being started rejects', () => {
  test.each<[string, Options, string]>([
    ['an option that is none', { modell: 'x' } as Options, 'input.invalid'],
    ['an option that is not served', { plugins: [{ type: 'local', path: 'x' }] }, 'input.invalid'],
    ['an unknown model', { model: 'unknown/model' }, 'model.unknown'],
    ['a key that is not set', { model: 'anthropic/claude-opus-4-1' }, 'model.key_missing'],
    ['a session that is not there', { resume: 'f0000000-0000-4000-8000-00000000000f' }, 'session.not_found'],
    ['bypassing without consent', { permissionMode: 'bypassPermissions' }, 'permission.bypass_refused'],
    ['a hook that would never run', { hooks: { Nowhere: [] } as never }, 'input.invalid'],
  ])('%s', async (_what, more, code) => {
    await expect(startup({ options: optionsOf(scriptedModel([]), more) })).rejects.toMatchObject({ code });
    // Nothing is held: a query of the same home works.
    const lines = await collectMessages(query({ prompt: 'hi', options: optionsOf(scriptedModel([say('well')])) }));
    expect(lines.at(-1)).toMatchObject({ result: 'well' });
  });

  test.each([0, -1, Number.NaN, '5' as unknown as number])('a time limit of %s', async (initializeTimeoutMs) => {
    await expect(startup({ initializeTimeoutMs })).rejects.toMatchObject({ code: 'input.invalid' });
  });

  test('being late, and what is ready then is given back', async () => {
    const helper = join(root, 'helper.sh');
    writeFileSync(
      helper,
      `until [ -e ${join(root, 'go')} ]; do read -t 0.05 _ <> /dev/null || sleep 0.05; done; echo sk-0123456789\n`,
    );
    const options = optionsOf('anthropic/claude-opus-4-1', { settings: { apiKeyHelper: `sh ${helper}` } });
    await expect(startup({ options, initializeTimeoutMs: 1 })).rejects.toMatchObject({
      code: 'operation.aborted',
      message: expect.stringContaining('initializeTimeoutMs') as string,
    });
    writeFileSync(join(root, 'go'), '');
    expect(readdirSync(join(root, 'home'))).toEqual([]);
  });
});

test('between startup and the first request nothing is loaded', async () => {
  writeFileSync(join(root, 'work', 'a.yaml'), 'version: 1\nsteps:\n  - text: one\n');
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] };
  const options = optionsOf('scripted/a.yaml', { settings: { hooks }, includePartialMessages: true });
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { startup } = await import('@rondo/sdk');
    const warm = await startup({ options: ${JSON.stringify(options)} });
    const before = loaded.length;
    for await (const line of warm.query('hi')) {
      if (line.type !== 'stream_event') continue;
      console.log(JSON.stringify({ before, since: loaded.slice(before) }));
      break;
    }
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@rondo/source', '--input-type=module', '--eval', program],
    { cwd: new URL('..', import.meta.url) },
  );
  const { before, since } = JSON.parse(stdout) as { before: number; since: string[] };
  expect(before).toBeGreaterThan(100);
  // The socket of a home is made while the first request is on its way; what dead runtimes left is swept at its own time,
  // which on a busy machine is this one.
  const besides = /\/host\/src\/node\/|\/sandbox\/src\/(orphans\.ts|supervisor\/)|^node:(http|net|timers\/promises)$/;
  expect(since.filter((url) => !besides.test(url))).toEqual([]);
});

test('a stream that is prompted for works as with query', async () => {
  const warm = await startup({ options: optionsOf(scriptedModel([say('1')])) });
  expect((await collectMessages(warm.query(streamOf('a')))).at(-1)).toMatchObject({ result: '1' });
});
