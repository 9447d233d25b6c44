import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer, text } from '@rondo/providers/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SDKMessage } from '@rondo/protocol';
import { query } from '../query.ts';
import { getSessionInfo } from '../sessions/get-session-info.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { loadModel, type LoadModelOptions } from './load-model.ts';
import type { Options } from './options.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-models-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };

describe('which model runs when nobody names one', () => {
  const load = (model: string | undefined, options: Partial<LoadModelOptions>) =>
    loadModel(model, { env, user: {}, cwd: root, home: root, ...options });
  const named = async (...parameters: Parameters<typeof load>) => (await load(...parameters)).name;
  const user = { model: 'opus', models: { aliases: { opus: 'claude-opus-5', mine: 'claude-haiku-4-5' } } };

  test('by default, by settings, by the environment', async () => {
    expect(await named(undefined, { env })).toBe('anthropic/claude-sonnet-5-5');
    expect(await named(undefined, { env, user: { models: { aliases: { default: 'haiku' } } } })).toBe(
      'anthropic/claude-haiku-5-5',
    );
    expect(await named(undefined, { env, user })).toBe('anthropic/claude-opus-5');
    expect(await named(undefined, { env: { ...env, ANTHROPIC_MODEL: 'mine' }, user })).toBe(
      'anthropic/claude-haiku-4-5',
    );
  });

  test('short names: those of the program, then the environment, then settings', async () => {
    const both = { ...env, ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-8' };
    expect(await named('opus', { env, user })).toBe('anthropic/claude-opus-5');
    expect(await named('opus', { env: both, user })).toBe('anthropic/claude-opus-4-8');
    const models = { aliases: { opus: 'claude-opus-4-6' } };
    expect(await named('opus', { env: both, user, models })).toBe('anthropic/claude-opus-4-6');
  });

  test('facts of settings are those of the model', async () => {
    const facts = { 'anthropic/claude-opus-5': { price: { input: 7, output: 7 } } };
    expect((await load('claude-opus-5', { user: { models: { facts } } })).price?.input).toBe(7);
  });
});

describe('a session', () => {
  async function ask(prompt: string, options: Options): Promise<SDKMessage[]> {
    return await collectMessages(query({ prompt, options }));
  }

  const initOf = (lines: readonly SDKMessage[]) => lines.find((line) => line.type === 'system');

  test('goes on with the model it ran with, whatever its short name means by then, unless another is named', async () => {
    await using server = await startModelServer({ script: [text('one'), text('two'), text('three')] });
    const home = join(root, 'remapped');
    const options: Options = { home, cwd: root, tools: [], env: { ...env, ANTHROPIC_BASE_URL: server.url } };
    const first = initOf(await ask('1', { ...options, models: { aliases: { default: 'opus' } } }));
    expect(first).toMatchObject({ model: 'claude-opus-5-5' });
    const resume = first?.session_id ?? '';

    const remapped = { default: 'haiku', opus: 'haiku', 'claude-opus-5-5': 'haiku' };
    await writeFile(join(home, 'settings.json'), JSON.stringify({ model: 'haiku', models: { aliases: remapped } }));
    const elsewhere = { ...options.env, ANTHROPIC_MODEL: 'haiku' };
    expect(initOf(await ask('2', { ...options, resume, env: elsewhere }))).toMatchObject({ model: 'claude-opus-5-5' });
    expect(initOf(await ask('3', { ...options, resume, model: 'opus' }))).toMatchObject({ model: 'claude-haiku-5-5' });
    expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-haiku-5-5',
    ]);
    expect(await getSessionInfo(resume, { home })).toBeDefined();
  });

  test('reads the settings of its home, unless no source is to be read', async () => {
    await using server = await startModelServer({ script: [text('one'), text('two')] });
    const home = join(root, 'settings');
    const options: Options = { home, cwd: root, tools: [], env: { ...env, ANTHROPIC_BASE_URL: server.url } };
    await collectMessages(query({ prompt: 'x', options: { ...options, model: 'haiku' } }));
    await writeFile(join(home, 'settings.json'), '{"model": "opus"');
    await expect(ask('x', options)).rejects.toThrow('settings.json:1:17 is no JSON: expected a comma or } here.');
    expect(initOf(await ask('x', { ...options, settingSources: [] }))).toMatchObject({ model: 'claude-sonnet-5-5' });
  });
});
