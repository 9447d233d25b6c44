import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AnyEvent, SDKMessage, SDKUserMessage } from '@rondo/protocol';
import type { Model } from '@rondo/runtime';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import type { Settings } from './settings/settings.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';
import { collectMessages } from './testing/collect-messages.ts';

// Sessions load the runtime, the tools and the sandbox; a busy machine takes its time with that.
vi.setConfig({ testTimeout: 60_000 });

let place = '';
let file = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'rondo-query-settings-'));
  for (const name of ['home', 'work', 'managed']) mkdirSync(join(place, name));
  file = join(place, 'home', 'settings.json');
  Reflect.set(globalThis, Symbol.for('rondo.managed-folder'), join(place, 'managed'));
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('rondo.managed-folder'));
  rmSync(place, { recursive: true, force: true });
});

function write(content: unknown, path = file): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

const canary = () => join(place, 'canary');
const touch = () => call('Bash', { command: `touch ${canary()}` });

/** A model to which something happens before it is asked for the n-th time. */
function between(steps: readonly ScriptedStep[], happens: (request: number) => void): Model {
  const model = scriptedModel(steps);
  let request = 0;
  return {
    ...model,
    stream(...parameters: Parameters<Model['stream']>) {
      request += 1;
      happens(request);
      return model.stream(...parameters);
    },
  };
}

interface Session {
  readonly lines: readonly SDKMessage[];
  readonly events: readonly AnyEvent[];
  readonly notes: string;
}

async function run(model: Model, more: Options = {}): Promise<Session> {
  const notes: string[] = [];
  const options: Options = {
    model,
    home: join(place, 'home'),
    cwd: join(place, 'work'),
    env: { PATH: process.env['PATH'], HOME: place, IS_SANDBOX: '1' },
    stderr: (text) => void notes.push(text),
    ...more,
  };
  const lines = await collectMessages(query({ prompt: 'work', options }));
  const sessionId = lines.find((line) => line.type === 'system')?.session_id ?? '';
  const events: AnyEvent[] = [];
  for await (const event of getSessionEvents(sessionId, { home: join(place, 'home') })) events.push(event);
  return { lines, events, notes: notes.join('') };
}

const decisions = ({ events }: Session) => events.filter((event) => event.type === 'tool.decided');
const notices = ({ events }: Session) => events.filter((event) => event.type === 'notice');

const bypass: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

/** The rule that denies the canary. */
const rule = () => `Bash(touch ${canary()})`;
const good = () => ({ permissions: { deny: [rule()] } });

const breakages: readonly (readonly [string, () => void, string])[] = [
  ['is cut off', () => write('{"permissions": {"deny": ['), 'is no JSON'],
  ['is emptied', () => write(''), 'is empty'],
  ['is null', () => write('null'), 'is null at its top'],
  ['is a list', () => write('[]'), 'is a list at its top'],
  ['has a typo', () => write({ permissions: { denny: [rule()] } }), 'did you mean deny?'],
  ['has rules of the wrong kind', () => write({ permissions: { deny: { touch: true } } }), 'takes a list of texts'],
  ['has a rule of the wrong kind', () => write({ permissions: { deny: [7] } }), 'takes a text, not 7'],
  ['cannot be read', () => (unlinkSync(file), symlinkSync(file, file)), 'cannot be read: ELOOP'],
  ['is deleted', () => unlinkSync(file), 'is gone'],
  ['is a folder', () => (unlinkSync(file), mkdirSync(file)), 'it is a folder'],
];

describe.each(breakages)('a settings file that %s while a session is at work', (_what, breakIt, problem) => {
  test('still denies, and a notice names it', async () => {
    write(good());
    const model = between([touch(), touch(), touch(), say('done')], (request) => {
      if (request === 2) breakIt();
    });
    const session = await run(model, bypass);
    expect(existsSync(canary())).toBe(false);
    expect(decisions(session).map(({ decision, source }) => [decision, source])).toEqual([
      ['deny', file],
      ['deny', file],
      ['deny', file],
    ]);
    const told = notices(session);
    expect(told).toMatchObject([{ level: 'error', details: { status: 'settings_held', file } }]);
    expect(told[0]?.message).toContain(file);
    expect(told[0]?.message).toContain(problem);
  });

  test('does not refuse or allow anything else', async () => {
    write(good());
    const other = call('Bash', { command: `touch ${canary()}-other` });
    const session = await run(
      between([say('first'), other, say('done')].slice(1), (request) => {
        if (request === 1) breakIt();
      }),
      bypass,
    );
    expect(existsSync(`${canary()}-other`)).toBe(true);
    expect(decisions(session)).toMatchObject([{ decision: 'allow' }]);
  });
});

describe.each([
  ['a byte order mark', () => `\uFEFF${JSON.stringify(good())}`],
  ['comments and a comma too many', () => `{"permissions": {"deny": [${JSON.stringify(rule())}, /* mine */],},}`],
  ['a key twice', () => `{"permissions": {"deny": [${JSON.stringify(rule())}]}, "permissions": {"deny": []}}`],
])('a settings file with %s', (_what, content) => {
  test('denies, read at start or while a session is at work', async () => {
    write(content());
    expect(decisions(await run(scriptedModel([touch(), say('done')]), bypass))).toMatchObject([{ decision: 'deny' }]);
    write(good());
    const model = between([touch(), touch(), say('done')], (request) => {
      if (request === 2) write(content());
    });
    expect(decisions(await run(model, bypass))).toMatchObject([{ decision: 'deny' }, { decision: 'deny' }]);
    expect(existsSync(canary())).toBe(false);
  });
});

test('a rule that comes while a session is at work denies the very next call, by another hash of the policy', async () => {
  const model = between([touch(), touch(), say('done')], (request) => {
    if (request === 2) write(good());
  });
  const session = await run(model, bypass);
  const [first, second] = decisions(session);
  expect([first?.decision, second?.decision]).toEqual(['allow', 'deny']);
  expect(second).toMatchObject({ source: file });
  expect(second?.policyHash).not.toBe(first?.policyHash);
  expect(notices(session)).toMatchObject([{ level: 'info', details: { status: 'settings_changed', file } }]);
});

test('one that goes, in a file that can be read, lifts', async () => {
  write(good());
  const model = between([touch(), touch(), say('done')], (request) => {
    if (request === 2) write({ permissions: { deny: [] } });
  });
  expect(decisions(await run(model, bypass)).map(({ decision }) => decision)).toEqual(['deny', 'allow']);
});

test('a new rule that allows counts, and bypassing can be switched off', async () => {
  const model = between([touch(), touch(), touch(), say('done')], (request) => {
    if (request === 2) write({ permissions: { allow: [rule()] } });
    if (request === 3) write({ permissions: { disableBypassPermissionsMode: 'disable' } });
  });
  expect(decisions(await run(model)).map(({ decision }) => decision)).toEqual(['deny', 'allow', 'deny']);
  const off = between([touch(), touch(), say('done')], (request) => {
    if (request === 2) write({ permissions: { disableBypassPermissionsMode: 'disable', deny: [] } });
  });
  rmSync(file);
  expect(decisions(await run(off, bypass)).map(({ decision }) => decision)).toEqual(['allow', 'deny']);
});

describe('a file that is broken at start', () => {
  test.each([
    ['the user’s', () => file],
    ['a project’s', () => join(place, 'work', '.claude', 'settings.json')],
    ['a local one', () => join(place, 'work', '.rondo', 'settings.local.json')],
    ['an administrator’s', () => join(place, 'managed', 'managed-settings.json')],
  ])('%s refuses to start, with its place and the way on', async (_whose, path) => {
    write('{\n  "permissions": {"deny": [}}', path());
    const starting = run(scriptedModel([]), bypass);
    await expect(starting).rejects.toMatchObject({ code: 'input.invalid' });
    await expect(starting).rejects.toThrow(`${path()}:2:28 is no JSON: expected a value here.`);
    await expect(starting).rejects.toThrow('Mend it, or leave its source out');
  });

  test('of a source that was not chosen is not looked at', async () => {
    write('{', join(place, 'work', '.claude', 'settings.json'));
    const session = await run(scriptedModel([say('done')]), { settingSources: ['user'] });
    expect(session.notes).toBe('');
  });
});

describe('layers', () => {
  const project = () => join(place, 'work', '.claude', 'settings.json');

  test('deny together, each by its own file, whatever another allows', async () => {
    write({ permissions: { allow: ['Bash'] } });
    write(good(), project());
    const session = await run(scriptedModel([touch(), say('done')]), {
      settings: { permissions: { allow: ['Bash'] } },
    });
    expect(decisions(session)).toMatchObject([{ decision: 'deny', source: project() }]);
  });

  test('of a folder that nobody trusts only narrow, and it is said', async () => {
    write({ permissions: { allow: ['Bash'], defaultMode: 'acceptEdits' }, env: { FROM: 'project' } }, project());
    const env = call('Bash', { command: `echo "$FROM" > ${canary()}` });
    const session = await run(scriptedModel([env, say('done')]));
    expect(decisions(session)).toMatchObject([{ decision: 'deny' }]);
    expect(session.notes).toContain('is not trusted');
    expect(session.notes).toContain('.claude/settings.json');
  });

  test('of the flag and the user count whole', async () => {
    write({ env: { FROM: 'user' }, permissions: { additionalDirectories: [join(place, 'home'), '~/nowhere'] } });
    const echo = call('Bash', { command: `test "$FROM $MORE" = "user flag" && touch ${canary()}` });
    const session = await run(scriptedModel([echo, say('done')]), {
      settings: JSON.stringify({ env: { MORE: 'flag' }, permissions: { allow: ['Bash'] } }),
    });
    expect(decisions(session)).toMatchObject([{ decision: 'allow', source: 'options.settings' }]);
    expect(existsSync(canary())).toBe(true);
    expect(session.notes).toContain('names "~/nowhere", which is no folder here');
  });

  test('of managed settings may be the only ones that allow', async () => {
    write({ allowManagedPermissionRulesOnly: true }, join(place, 'managed', 'managed-settings.json'));
    write({ permissions: { allow: ['Bash'] } });
    const options: Options = { allowedTools: ['Bash'], settings: { permissions: { allow: ['Bash'] } } };
    expect(decisions(await run(scriptedModel([touch(), say('done')]), options))).toMatchObject([{ decision: 'deny' }]);
  });

  test('of an embedding program deny, and allow nothing', async () => {
    const managedSettings = { permissions: { allow: ['Bash'], deny: [rule()] }, env: { A: '1' } };
    const session = await run(scriptedModel([touch(), say('done')]), { ...bypass, managedSettings });
    expect(decisions(session)).toMatchObject([{ decision: 'deny', source: 'options.managedSettings' }]);
  });
});

describe('what a person allows for good', () => {
  const local = () => join(place, 'work', '.rondo', 'settings.local.json');
  const always: Options['canUseTool'] = (toolName, input, { suggestions = [] }) =>
    Promise.resolve({
      behavior: 'allow',
      updatedInput: input,
      updatedPermissions: [
        ...suggestions.filter(({ destination }) => destination === 'session'),
        {
          type: 'addRules',
          behavior: 'allow',
          destination: 'localSettings',
          rules: [{ toolName, ruleContent: String(input['command']) }],
        },
      ],
    });

  test('is written to its file, trusted there, and needs no question in the next session', async () => {
    const first = await run(scriptedModel([touch(), say('done')]), { canUseTool: always });
    expect(JSON.parse(readFileSync(local(), 'utf8'))).toEqual({ permissions: { allow: [rule()] } });
    expect(notices(first)).toMatchObject([
      { message: `Written to ${local()}.`, details: { status: 'permissions_saved' } },
    ]);
    rmSync(canary());
    const second = await run(scriptedModel([touch(), say('done')]));
    expect(second.notes).toBe('');
    expect(decisions(second)).toMatchObject([{ decision: 'allow', source: local() }]);
    expect(existsSync(canary())).toBe(true);
  });

  test('does not make trusted what a folder brought along', async () => {
    write({ permissions: { allow: ['Bash(true)'] } }, local());
    await run(scriptedModel([touch(), say('done')]), { canUseTool: always });
    expect(JSON.parse(readFileSync(local(), 'utf8'))).toEqual({ permissions: { allow: ['Bash(true)', rule()] } });
    const next = await run(scriptedModel([touch(), say('done')]));
    expect(decisions(next)).toMatchObject([{ decision: 'deny' }]);
    expect(next.notes).toContain('is not trusted');
  });

  test('counts for the session where its file is broken meanwhile', async () => {
    const model = between([touch(), touch(), say('done')], (request) => {
      if (request === 1) write('{', local());
    });
    const session = await run(model, { canUseTool: always });
    expect(decisions(session).map(({ decision }) => decision)).toEqual(['allow', 'allow']);
    expect(readFileSync(local(), 'utf8')).toBe('{');
    expect(notices(session).some(({ message }) => message.includes(`${local()} was not written: it is no JSON`))).toBe(
      true,
    );
  });
});

describe('applyFlagSettings', () => {
  const message = (content: string): SDKUserMessage => ({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    session_id: '',
  });

  test('changes what may run from the next call on, key by key', async () => {
    const changes = [
      { permissions: { deny: [rule()] } },
      { permissions: { allow: [rule()], ask: [] } },
      { permissions: null },
    ] as const;
    const model = scriptedModel([touch(), say('1'), touch(), say('2'), touch(), say('3'), touch(), say('4')]);
    const results = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const refusals: string[] = [];
    async function* prompt(): AsyncGenerator<SDKUserMessage> {
      for (const [index, result] of results.entries()) {
        yield message(`say ${index}`);
        await result.promise;
        if (index === 0)
          for (const odd of [{ fastMode: true }, { permissions: { denny: [] } }] as Settings[])
            await running.applyFlagSettings(odd).catch((error: unknown) => refusals.push((error as Error).message));
        const change = changes[index];
        if (change !== undefined) await running.applyFlagSettings(change);
      }
    }
    const options: Options = {
      model,
      home: join(place, 'home'),
      cwd: join(place, 'work'),
      env: { PATH: process.env['PATH'], HOME: place },
      settings: { permissions: { ask: [rule()] } },
    };
    const running = query({ prompt: prompt(), options });
    let sessionId = '';
    let seen = 0;
    for await (const line of running) {
      sessionId = line.session_id ?? sessionId;
      if (line.type === 'result') results[seen++]?.resolve();
    }
    const decided: string[] = [];
    for await (const event of getSessionEvents(sessionId, { home: join(place, 'home') }))
      if (event.type === 'tool.decided') decided.push(event.decision);
    expect(decided).toEqual(['deny', 'deny', 'allow', 'deny']);
    expect(refusals).toEqual([
      expect.stringContaining('fastMode cannot be changed') as string,
      expect.stringContaining('did you mean deny?') as string,
    ]);
  });

  test('needs a streaming prompt', async () => {
    const running = query({
      prompt: 'go',
      options: { model: scriptedModel([say('x')]), home: join(place, 'home'), cwd: place },
    });
    await expect(running.applyFlagSettings({})).rejects.toMatchObject({ code: 'input.invalid' });
    await collectMessages(running);
  });
});

describe('the mode', () => {
  const edit = call('Write', { file_path: 'b.txt', content: 'b' });
  const modeOf = ({ lines }: Session) =>
    lines.find((line) => line.type === 'system' && line.subtype === 'init')?.permissionMode;

  test('of settings is the one to start in, unless another is named', async () => {
    write({ permissions: { defaultMode: 'acceptEdits' } });
    expect(modeOf(await run(scriptedModel([edit, say('done')])))).toBe('acceptEdits');
    expect(existsSync(join(place, 'work', 'b.txt'))).toBe(true);
    expect(modeOf(await run(scriptedModel([say('done')]), { permissionMode: 'plan' }))).toBe('plan');
  });

  test('bypassPermissions of settings needs consent of whoever starts', async () => {
    write({ permissions: { defaultMode: 'bypassPermissions' } });
    const refused = await run(scriptedModel([say('done')]));
    expect(modeOf(refused)).toBe('default');
    expect(refused.notes).toContain('permissions.defaultMode cannot be bypassPermissions here, so that it is default');
    const consented = await run(scriptedModel([say('done')]), { allowDangerouslySkipPermissions: true });
    expect(modeOf(consented)).toBe('bypassPermissions');
  });

  test('bypassing that settings switch off is refused, with the file that does', async () => {
    write({ permissions: { disableBypassPermissionsMode: 'disable' } });
    await expect(run(scriptedModel([]), bypass)).rejects.toMatchObject({ code: 'permission.bypass_refused' });
    await expect(run(scriptedModel([]), bypass)).rejects.toThrow(file);
  });
});

test('a session says what is wrong in its settings, and leaves advice to who asks for it', async () => {
  const hook = { type: 'command', command: 'true "$CLAUDE_FILE_PATH"' };
  write(
    `\uFEFF${JSON.stringify({
      permissions: { allow: ['Bash(python:*)', 'Bsh(ls)'] },
      hooks: { PreToolUse: [{ hooks: [hook] }], PreTool: [{ hooks: [hook] }] },
    })}`,
  );
  const { notes } = await run(scriptedModel([say('done')]));
  expect(notes).toContain('Bsh(ls)');
  expect(notes).toContain('hooks.PreTool is no event');
  for (const advice of ['byte order mark', 'python', 'CLAUDE_FILE_PATH']) expect(notes).not.toContain(advice);
});
