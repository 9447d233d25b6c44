import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AnyEvent, SDKMessage } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { createIsolatedSandbox } from '@rondo/sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';

// Sessions load the runtime, the tools and the sandbox; a busy machine takes its time with that.
vi.setConfig({ testTimeout: 60_000 });

const canIsolate = await createIsolatedSandbox({ settings: {}, folders: ['/nowhere'] }).then(
  () => true,
  () => false,
);

let place = '';
beforeEach(() => {
  // Not below /tmp, which a sandbox has its own of.
  place = realpathSync(mkdtempSync('/var/tmp/rondo-query-sandbox-'));
  for (const name of ['home', 'work', 'bin']) mkdirSync(join(place, name));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const canary = () => join(place, 'canary');
const outside = (more: object = {}) => call('Bash', { command: `touch ${canary()}`, ...more });

interface Session {
  readonly lines: readonly SDKMessage[];
  readonly events: readonly AnyEvent[];
  readonly notes: string;
  readonly failure: unknown;
}

async function run(steps: readonly ScriptedStep[], more: Options): Promise<Session> {
  const notes: string[] = [];
  const lines: SDKMessage[] = [];
  const options: Options = {
    model: scriptedModel(steps),
    home: join(place, 'home'),
    cwd: join(place, 'work'),
    env: { PATH: process.env['PATH'], HOME: place, IS_SANDBOX: '1' },
    stderr: (text) => void notes.push(text),
    ...more,
  };
  let failure: unknown;
  try {
    for await (const line of query({ prompt: 'work', options })) lines.push(line);
  } catch (error) {
    failure = error;
  }
  const sessionId = lines.find((line) => line.type === 'system')?.session_id;
  const events: AnyEvent[] = [];
  if (sessionId !== undefined) {
    for await (const event of getSessionEvents(sessionId, { home: join(place, 'home') })) events.push(event);
  }
  return { lines, events, notes: notes.join('\n'), failure };
}

describe('a sandbox that cannot be had', () => {
  // Where PATH of this process leads to a bubblewrap that does not work.
  beforeEach(() => {
    writeFileSync(
      join(place, 'bin/bwrap'),
      '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n',
    );
    chmodSync(join(place, 'bin/bwrap'), 0o755);
    vi.stubEnv('PATH', `${join(place, 'bin')}:${process.env['PATH']}`);
  });
  afterEach(() => vi.unstubAllEnvs());

  test.skipIf(process.platform !== 'linux')('is told as a result, and thrown; nothing runs', async () => {
    const { lines, failure } = await run([outside(), say('done')], { sandbox: { enabled: true } });
    expect(lines).toMatchObject([{ type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0 }]);
    expect(JSON.stringify(lines)).toContain('does not let bubblewrap make namespaces');
    expect(failure).toMatchObject({ code: 'sandbox.unavailable' });
    expect(existsSync(canary())).toBe(false);
  });

  test.skipIf(process.platform !== 'linux')(
    'is done without where that is said, with a notice, and counts for no permission',
    async () => {
      const sandbox = { enabled: true, failIfUnavailable: false };
      const { lines, notes } = await run([outside(), say('done')], { sandbox });
      expect(notes).toContain('WITHOUT a sandbox');
      expect(lines.at(-1)).toMatchObject({ subtype: 'success', permission_denials: [{ tool_name: 'Bash' }] });
      expect(existsSync(canary())).toBe(false);
    },
  );
});

describe.skipIf(!canIsolate)('a sandboxed session', () => {
  test('has no command write what hooks of the settings run, there or not yet', async () => {
    mkdirSync(join(place, 'work/tools'));
    writeFileSync(join(place, 'work/tools/check.sh'), 'exit 0\n');
    const hook = (command: string) => ({ matcher: 'Nothing', hooks: [{ type: 'command', command }] });
    const hooks = { PostToolUse: [hook('./tools/check.sh'), hook('sh "$CLAUDE_PROJECT_DIR"/later/check.sh')] };
    const lines = [
      'echo taken > tools/check.sh',
      'rm -f tools/check.sh && echo taken > tools/check.sh',
      'mv tools away && mkdir tools && echo taken > tools/check.sh',
      'mkdir -p later && echo taken > later/check.sh',
      'echo made > tools/other.sh',
    ];
    await run([...lines.map((command) => call('Bash', { command })), say('done')], {
      sandbox: { enabled: true },
      settings: { hooks },
    });
    expect(readFileSync(join(place, 'work/tools/check.sh'), 'utf8')).toBe('exit 0\n');
    expect(existsSync(join(place, 'work/later/check.sh'))).toBe(false);
    expect(readFileSync(join(place, 'work/tools/other.sh'), 'utf8')).toBe('made\n');
  });

  test('runs commands unasked, holds them to its folder, and says what was refused', async () => {
    const inside = call('Bash', { command: 'touch here && echo made' });
    const { lines, events } = await run([inside, outside(), say('done')], { sandbox: { enabled: true } });
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(existsSync(join(place, 'work/here'))).toBe(true);
    expect(existsSync(canary())).toBe(false);
    expect(JSON.stringify(lines)).toContain(`The sandbox refused writing ${canary()}.`);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'notice', message: `The sandbox refused writing ${canary()}.` }),
    );
  });

  test('runs a command outside only by permission', async () => {
    const escape = [outside({ dangerouslyDisableSandbox: true }), say('done')];
    const sandbox = { enabled: true };
    const unattended = await run(escape, { sandbox });
    expect(unattended.lines.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    const never = await run(escape, {
      sandbox: { enabled: true, allowUnsandboxedCommands: false },
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(never.failure).toBeUndefined();
    expect(existsSync(canary())).toBe(false);
    const asked: unknown[] = [];
    await run(escape, {
      sandbox,
      canUseTool: (_, input) => {
        asked.push(input);
        return Promise.resolve({ behavior: 'allow', updatedInput: input });
      },
    });
    expect(asked).toMatchObject([{ dangerouslyDisableSandbox: true }]);
    expect(existsSync(canary())).toBe(true);
  });

  test('runs excluded commands outside', async () => {
    const sandbox = { enabled: true, excludedCommands: ['touch *'] };
    await run([outside(), say('done')], { sandbox, allowedTools: ['Bash(touch *)', `Edit(/${canary()})`] });
    expect(existsSync(canary())).toBe(true);
  });
});

test.each([
  [{ enabled: 'yes' }, 'options.sandbox.enabled must be true or false'],
  [{ network: { allowedDomain: [] } }, 'options.sandbox.network.allowedDomain is no setting'],
  [{ filesystem: { denyRead: 'x' } }, 'options.sandbox.filesystem.denyRead must be a list of texts'],
  [{ network: { httpProxyPort: 0 } }, 'options.sandbox.network.httpProxyPort must be the number of a port'],
])('%j is refused at once', (sandbox, message) => {
  const options = { sandbox } as Options;
  expect(() => query({ prompt: 'x', options })).toThrow(message);
});
