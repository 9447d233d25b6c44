import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { createStubPeer, hears, initializes, result } from '../testing/stub-peer.ts';
import { peerEnvironment } from './peer-environment.ts';
import type { SpawnedProcess, SpawnOptions } from './spawned-process.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A process that ends at once and says nothing, and what it was started with. */
function capture(options: Options) {
  const started: SpawnOptions[] = [];
  const spawnClaudeCodeProcess = (how: SpawnOptions): SpawnedProcess => {
    started.push(how);
    const stdout = new PassThrough();
    stdout.end();
    return Object.assign(new EventEmitter(), {
      stdin: new PassThrough(),
      stdout,
      killed: false,
      exitCode: 0,
      kill: () => true,
    });
  };
  return { started, run: collectMessages(query({ prompt: 'hi', options: { ...options, spawnClaudeCodeProcess } })) };
}

async function startedWith(options: Options): Promise<SpawnOptions> {
  const { started, run } = capture(options);
  expect(await run).toEqual([]);
  const [how] = started;
  if (how === undefined) throw new Error('nothing was started');
  return how;
}

describe('what is started', () => {
  test.each(['.js', '.mjs', '.ts', '.tsx', '.jsx'])('a file %s is run by node', async (extension) => {
    const path = `/opt/peer${extension}`;
    const { command, args } = await startedWith({ pathToClaudeCodeExecutable: path, executableArgs: ['--flag'] });
    expect([command, ...args.slice(0, 4)]).toEqual(['node', '--flag', path, '--output-format', 'stream-json']);
  });

  test.each(['bun', 'deno', 'node'] as const)('the option executable chooses %s', async (executable) => {
    const { command } = await startedWith({ pathToClaudeCodeExecutable: '/opt/peer.js', executable });
    expect(command).toBe(executable);
  });

  test.each(['/opt/peer.cjs', '/opt/peer.mts', '/opt/peer.sh', '/opt/peer', 'rondo'])('%s by itself', async (path) => {
    const { command, args } = await startedWith({ pathToClaudeCodeExecutable: path, executableArgs: ['--flag'] });
    expect([command, args[0]]).toEqual([path, '--output-format']);
  });

  test('rondo, where only the way of starting is given', async () => {
    const { command, cwd, env, signal } = await startedWith({ cwd: '/somewhere', env: { A: '1' } });
    expect({ command, cwd }).toEqual({ command: 'rondo', cwd: '/somewhere' });
    expect(env).toMatchObject({ A: '1', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' });
    expect(signal.aborted).toBe(false);
  });

  test('a process that cannot be made is an error of the iteration', async () => {
    const spawnClaudeCodeProcess = (): never => {
      throw new Error('no room');
    };
    await expect(collectMessages(query({ prompt: 'hi', options: { spawnClaudeCodeProcess } }))).rejects.toThrow(
      'no room',
    );
  });
});

describe('the environment', () => {
  test('is the process’s, or the option’s in its place, and says who drives', () => {
    const added = {
      BUN_ENABLE_CRASH_REPORTING: '0',
      CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
      CLAUDE_AGENT_SDK_VERSION: '0.3.332',
      CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
    };
    expect(peerEnvironment({})).toEqual({ ...process.env, ...added });
    expect(peerEnvironment({ env: { A: '1', B: undefined, CLAUDE_AGENT_SDK_CLIENT_APP: 'mine/1' } })).toEqual({
      A: '1',
      CLAUDE_AGENT_SDK_CLIENT_APP: 'mine/1',
      ...added,
    });
  });

  test('carries the options that are told in it', () => {
    const options: Options = {
      env: {},
      enableFileCheckpointing: true,
      toolConfig: { askUserQuestion: { previewFormat: 'html' } },
      home: '/h',
    };
    expect(peerEnvironment(options)).toMatchObject({
      CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true',
      CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: 'html',
      RONDO_HOME: '/h',
    });
  });

  test('and the folder and the arguments reach a real process', async () => {
    using peer = createStubPeer([...initializes, hears, result()]);
    await collectMessages(
      query({ prompt: 'hi', options: { ...peer.options, maxTurns: 3, extraArgs: { odd: 'a b' } } }),
    );
    const { argv, env, cwd } = peer.log();
    expect(argv).toEqual([
      '--output-format',
      'stream-json',
      '--verbose',
      '--input-format',
      'stream-json',
      '--max-turns=3',
      '--odd',
      'a b',
    ]);
    expect(Object.keys(env)).not.toContain('HOME');
    expect(env).toMatchObject({ CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', PATH: process.env['PATH'] });
    expect(cwd).toBe(peer.folder);
  });
});

describe('what cannot be started', () => {
  const failing = (options: Options) => collectMessages(query({ prompt: 'hi', options }));

  test.each(['/no/such/peer.mjs', '/no/such/peer', './peer.js', 'no-such-command-of-anybody'])(
    '%s is not found',
    async (path) => {
      await expect(failing({ pathToClaudeCodeExecutable: path, cwd: import.meta.dirname })).rejects.toThrow(
        `native binary not found at ${path}`,
      );
    },
  );

  test('a file in a folder that is missing', async () => {
    using peer = createStubPeer([]);
    await expect(failing({ ...peer.options, cwd: '/no/such/folder' })).rejects.toThrow(
      /exists but failed to launch: its folder \/no\/such\/folder does not exist/,
    );
  });

  test('a file that is no program', async () => {
    await expect(failing({ pathToClaudeCodeExecutable: import.meta.dirname })).rejects.toThrow(
      'exists but failed to launch',
    );
  });
});

describe('what cannot reach a peer is refused at once', () => {
  const path = { pathToClaudeCodeExecutable: '/opt/peer' };
  test.each<[string, object]>([
    ['models', { models: {} }],
    ['classifierModel', { classifierModel: 'm' }],
    ['unfinished', { unfinished: 'settle' }],
    ['trustFolder', { trustFolder: true }],
    ['sessionStore', { sessionStore: {} }],
    ['sessionStore', { sessionStore: { append() {}, load() {} }, continue: true }],
    ['persistSession', { sessionStore: { append() {}, load() {} }, persistSession: false }],
    ['sessionStoreFlush', { sessionStoreFlush: 'later' }],
    ['loadTimeoutMs', { loadTimeoutMs: -1 }],
    ['model', { model: { name: 'm', stream() {} } }],
    ['fallbackModel', { fallbackModel: { name: 'm', stream() {} } }],
    ['fallbackModel', { model: 'm', fallbackModel: 'm' }],
    ['permissionPromptToolName', { canUseTool: async () => null, permissionPromptToolName: 'mcp__a__b' }],
    ['canUseTool', { canUseTool: 'yes' }],
    ['noSuchOption', { noSuchOption: 1 }],
    ['hooks', { hooks: { Stop: 'x' } }],
    ['mcpServers', { mcpServers: { a: { type: 'sdk', name: 'a' } } }],
  ])('%s', async (name, options) => {
    const start = async () =>
      await collectMessages(query({ prompt: 'hi', options: { ...path, ...options } as Options }));
    await expect(start).rejects.toThrow(name);
  });

  test('while what a peer may serve is sent on, whatever its value', async () => {
    const { args } = await startedWith({ resume: 'no uuid', sessionId: 'x', maxTurns: 0, agent: 'a', skills: 'all' });
    expect(args.slice(5)).toEqual([
      '--agent=a',
      '--resume=no uuid',
      '--session-id=x',
      '--max-turns=0',
      '--allowedTools=Skill',
    ]);
  });
});
