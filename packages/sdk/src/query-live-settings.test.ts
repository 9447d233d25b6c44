import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { AnyEvent } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { createIsolatedSandbox } from '@rondo/sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HookCallback } from './hooks/hook-callback.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';
import type { Settings } from './settings/settings.ts';
import { collectMessages } from './testing/collect-messages.ts';
import { conversation } from './testing/conversation.ts';
import { distrustFolder, trustFolder } from './trust/folder-trust.ts';

// Sessions load the runtime, the tools and the sandbox; a busy machine takes its time with that.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-live-'));
  for (const name of ['home', 'work', 'managed', 'bin']) mkdirSync(join(root, name));
  Reflect.set(globalThis, Symbol.for('rondo.managed-folder'), join(root, 'managed'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, Symbol.for('rondo.managed-folder'));
  rmSync(root, { recursive: true, force: true });
});

const at = (name: string) => join(root, name);
const user = 'home/settings.json';
const project = 'work/.rondo/settings.json';
const managed = 'managed/managed-settings.json';

function write(name: string, content: string | Settings): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
}

/** Settings with a hook that denies every call that names this. */
const guard = (word: string, more: Settings = {}): Settings => ({
  hooks: {
    PreToolUse: [{ hooks: [{ type: 'command', command: `grep -q ${word} && { echo ${word} >&2; exit 2; } || true` }] }],
  },
  ...more,
});

const optionsOf = (steps: readonly ScriptedStep[], more: Options = {}): Options => ({
  model: scriptedModel(steps),
  home: at('home'),
  cwd: at('work'),
  env: { PATH: process.env['PATH'], HOME: root, IS_SANDBOX: '1' },
  permissionMode: 'acceptEdits',
  stderr: () => {},
  ...more,
});
const edit = (name: string) => call('Write', { file_path: name, content: 'x' });

/** A session whose turns each make these edits, with something happening before the turns that follow the first. */
async function turns(names: readonly string[], changes: readonly (() => unknown)[], more: Options = {}) {
  const steps = [undefined, ...changes].flatMap((_, turn) => [
    ...names.map((name) => edit(`${name}-${turn}`)),
    say(`${turn}`),
  ]);
  const talk = conversation(optionsOf(steps, more));
  await talk.ask('go');
  for (const change of changes) {
    await change();
    await talk.ask('go on');
  }
  const lines = await talk.end();
  const id = lines.find((line) => line.type === 'system')?.session_id ?? '';
  const events: AnyEvent[] = [];
  for await (const event of getSessionEvents(id, { home: at('home') })) events.push(event);
  const decided = events.flatMap((event) => (event.type === 'tool.decided' ? [event.decision] : []));
  return {
    id,
    events,
    /** What became of the edits, turn by turn. */
    decisions: Array.from({ length: changes.length + 1 }, (_, turn) =>
      decided.slice(turn * names.length, (turn + 1) * names.length).join(' '),
    ),
    /** How many hooks each turn began with. */
    hooks: events.flatMap((event) => (event.type === 'turn.started' ? [event.binding.hooks.length] : [])),
    notices: events.flatMap((event) => (event.type === 'notice' ? [event.message] : [])),
  };
}

describe('hooks of a settings file that changes between turns', () => {
  test('count from the next turn on: added, another, removed', async () => {
    const { decisions, hooks } = await turns(
      ['cat', 'dog'],
      [
        () => write(user, guard('cat')),
        () => write(user, guard('dog')),
        () => write(user, { ...guard('cat'), ...guard('dog') }),
        () => write(user, {}),
      ],
    );
    expect(decisions).toEqual(['allow allow', 'deny allow', 'allow deny', 'allow deny', 'allow allow']);
    expect(hooks).toEqual([0, 1, 1, 1, 0]);
  });

  test('a turn at work keeps its hooks', async () => {
    write(user, guard('cat'));
    const steps: ScriptedStep[] = [
      edit('cat-1'),
      () => {
        write(user, guard('dog'));
        return edit('cat-2');
      },
      edit('dog-2'),
      say('1'),
      edit('dog-3'),
      say('2'),
    ];
    const talk = conversation(optionsOf(steps));
    await talk.ask('go');
    await talk.ask('go on');
    await talk.end();
    const made = ['cat-1', 'cat-2', 'dog-2', 'dog-3'].filter((name) => existsSync(at(`work/${name}`)));
    expect(made).toEqual(['dog-2']);
  });

  test.each<[string, () => void]>([
    ['is cut off', () => write(user, '{"hooks": {')],
    ['is emptied', () => write(user, '')],
    ['is null', () => write(user, 'null')],
    ['is a list', () => write(user, '[]')],
    ['has a typo and no hooks', () => write(user, { permissions: { denny: [] } } as Settings)],
    ['is deleted', () => unlinkSync(at(user))],
    ['is a folder', () => (unlinkSync(at(user)), mkdirSync(at(user)))],
    ['says nothing that can be read of hooks', () => write(user, { hooks: [] } as unknown as Settings)],
  ])('one that %s takes no hook away, which is told', async (_how, breakIt) => {
    write(user, guard('cat'));
    const { decisions, hooks, notices } = await turns(['cat'], [breakIt, () => {}]);
    expect(decisions).toEqual(['deny', 'deny', 'deny']);
    expect(hooks).toEqual([1, 1, 1]);
    expect(notices.filter((message) => message.includes(at(user)))).toHaveLength(1);
  });

  test('disableAllHooks switches them off and on again; what is managed stays', async () => {
    write(user, guard('cat'));
    write(managed, guard('dog'));
    const { decisions } = await turns(
      ['cat', 'dog'],
      [() => write(user, guard('cat', { disableAllHooks: true })), () => write(user, guard('cat'))],
    );
    expect(decisions).toEqual(['deny deny', 'allow deny', 'deny deny']);
  });

  test('an administrator adds and forbids hooks', async () => {
    write(user, guard('cat'));
    const { decisions } = await turns(
      ['cat', 'dog'],
      [() => write(managed, guard('dog')), () => write(managed, guard('dog', { allowManagedHooksOnly: true }))],
    );
    expect(decisions).toEqual(['deny allow', 'deny deny', 'allow deny']);
  });

  test('the program’s own hooks stay, whatever settings say', async () => {
    const hook: HookCallback = () =>
      Promise.resolve({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } });
    const { decisions } = await turns(
      ['cat'],
      [() => write(user, guard('dog')), () => write(user, { disableAllHooks: true })],
      { hooks: { PreToolUse: [{ hooks: [hook] }] } },
    );
    expect(decisions).toEqual(['deny', 'deny', 'deny']);
  });

  test('a session that lost a hook is gone on with without it, one that got a hook not', async () => {
    write(user, guard('cat'));
    const lost = await turns(['dog'], [() => write(user, {})]);
    const options = optionsOf([edit('cat-9'), say('done')], { resume: lost.id });
    expect((await collectMessages(query({ prompt: 'more', options }))).at(-1)).toMatchObject({ result: 'done' });
    expect(existsSync(at('work/cat-9'))).toBe(true);

    const got = await turns(['dog'], [() => write(user, guard('cat'))]);
    write(user, {});
    const without = query({ prompt: 'more', options: optionsOf([say('never')], { resume: got.id }) });
    await expect(collectMessages(without)).rejects.toMatchObject({ code: 'session.config_mismatch' });
  });
});

describe('hooks of a folder', () => {
  const trust = () => trustFolder({ cwd: at('work'), home: at('home') });

  test('that nobody trusts never run, whenever they come', async () => {
    const { decisions, hooks, notices } = await turns(
      ['cat'],
      [() => write(project, guard('cat')), () => write(project, { hooks: { ...guard('cat').hooks, Stop: [] } })],
    );
    expect(decisions).toEqual(['allow', 'allow', 'allow']);
    expect(hooks).toEqual([0, 0, 0]);
    expect(notices.some((message) => message.includes('is not trusted'))).toBe(true);
  });

  test('run once somebody trusts them, without another change of the file', async () => {
    const { decisions, hooks } = await turns(['cat'], [() => write(project, guard('cat')), trust, () => {}]);
    expect(decisions).toEqual(['allow', 'allow', 'deny', 'deny']);
    expect(hooks).toEqual([0, 0, 1, 1]);
  });

  test('stay in force when their trust is taken back, until the session ends', async () => {
    write(project, guard('cat', { permissions: { allow: ['Bash(ls)'] } }));
    await trust();
    const back = () => distrustFolder({ cwd: at('work'), home: at('home') });
    const { decisions } = await turns(['cat'], [back, () => {}]);
    expect(decisions).toEqual(['deny', 'deny', 'deny']);
  });

  test('and rules that deny stay in force together while what the file says now waits for trust', async () => {
    const denied = 'Write(cat*)';
    write(project, { permissions: { deny: [denied], allow: ['Bash(ls)'] } });
    await trust();
    const { decisions } = await turns(
      ['cat'],
      [
        () => write(project, { permissions: { allow: ['Bash(pwd)'] } }),
        () => write(project, { permissions: { allow: ['Write'], deny: [] } }),
        () => write(project, {}),
      ],
    );
    // A file that asks for nothing waits for nobody.
    expect(decisions).toEqual(['deny', 'deny', 'deny', 'allow']);
  });

  test('stay in force while what the file says now waits for trust, and give way once it is trusted', async () => {
    write(project, guard('cat'));
    await trust();
    const { decisions, notices } = await turns(
      ['cat', 'dog'],
      [
        () => write(project, { permissions: { allow: ['Bash(ls)'] } }),
        () => write(project, guard('dog')),
        () => write(project, guard('dog', { disableAllHooks: true })),
        async () => {
          write(project, guard('dog'));
          await trust();
        },
      ],
    );
    expect(decisions).toEqual(['deny allow', 'deny allow', 'deny allow', 'deny allow', 'allow deny']);
    expect(notices.some((message) => message.includes('changed since it was trusted'))).toBe(true);
  });
});

describe('hooks that judge changes', () => {
  const told: unknown[] = [];
  const judging = (block: boolean): Options => {
    told.length = 0;
    const hook: HookCallback = (input) => {
      told.push(input);
      return Promise.resolve(block ? { decision: 'block', reason: 'not now' } : {});
    };
    return { hooks: { ConfigChange: [{ hooks: [hook] }] } };
  };

  test('are asked in the turn that begins, also where it calls nothing, and hooks count from the one after', async () => {
    const steps = [say('0'), say('1'), edit('cat-2'), say('2')];
    const talk = conversation(optionsOf(steps, judging(false)));
    await talk.ask('go');
    write(user, guard('cat'));
    await talk.ask('go on');
    expect(told).toMatchObject([{ hook_event_name: 'ConfigChange', source: 'user_settings' }]);
    await talk.ask('go on');
    await talk.end();
    expect(existsSync(at('work/cat-2'))).toBe(false);
  });

  test('hold a change: what was in force stays, and what is new does not run', async () => {
    write(user, guard('cat'));
    const { decisions } = await turns(
      ['cat', 'dog'],
      [() => write(user, guard('dog')), () => {}, () => write(user, {}), () => {}],
      judging(true),
    );
    expect(decisions).toEqual(Array.from({ length: 5 }, () => 'deny allow'));
  });
});

describe('variables of a settings file', () => {
  test('are what commands and hooks see from the next turn on, and what a session has set stays', async () => {
    const started = { type: 'command', command: 'echo "export KEPT=yes" >> "$CLAUDE_ENV_FILE"' };
    const noted = { type: 'command', command: `echo "$COLOUR" >> ${at('noted')}` };
    const hooks = { SessionStart: [{ hooks: [started] }], Stop: [{ hooks: [noted] }] };
    write(user, { hooks, env: { COLOUR: 'red' } });
    const show = call('Bash', { command: `echo "$COLOUR $KEPT" >> ${at('seen')}` });
    const talk = conversation(
      optionsOf([show, say('0'), show, say('1')], {
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
      }),
    );
    await talk.ask('go');
    write(user, { hooks, env: { COLOUR: 'blue' } });
    await talk.ask('go on');
    await talk.end();
    expect(readFileSync(at('seen'), 'utf8')).toBe('red yes\nblue yes\n');
    expect(readFileSync(at('noted'), 'utf8')).toBe('red\nblue\n');
  });

  test('that take the model’s key away leave the model as it is, which is told', async () => {
    const script = (name: string) => {
      writeFileSync(at(`work/${name}`), 'version: 1\nsteps:\n  - text: one\n  - text: two\n');
      return `scripted/${name}`;
    };
    write(user, { env: { ANTHROPIC_MODEL: script('a.yaml') } });
    const { model: _, ...options } = optionsOf([]);
    const talk = conversation(options);
    expect(await talk.ask('go')).toMatchObject({ result: 'one' });
    write(user, { env: { ANTHROPIC_MODEL: 'scripted/nowhere.yaml' } });
    expect(await talk.ask('go on')).toMatchObject({ result: 'two' });
    const lines = await talk.end();
    expect(JSON.stringify(lines)).toContain('the model cannot be loaded as they are now');
  });
});

const canIsolate = await createIsolatedSandbox({ settings: {}, folders: ['/nowhere'] }).then(
  () => true,
  () => false,
);

describe('the sandbox of a settings file', () => {
  test.runIf(canIsolate)('shuts commands in from the next turn on, until it is switched off', async () => {
    // Not below /tmp, which a sandbox has its own of.
    const outside = realpathSync(mkdtempSync('/var/tmp/rondo-live-'));
    try {
      const touch = (name: string) => call('Bash', { command: `touch ${join(outside, name)}` });
      const during: ScriptedStep = () => {
        write(user, { sandbox: { enabled: true } });
        return touch('b');
      };
      const talk = conversation(
        optionsOf([touch('a'), during, say('0'), touch('c'), say('1'), touch('d'), say('2')], {
          allowedTools: ['Bash'],
        }),
      );
      await talk.ask('go');
      await talk.ask('go on');
      write(user, { sandbox: { enabled: false } });
      await talk.ask('go on');
      await talk.end();
      expect(readdirSync(outside).toSorted()).toEqual(['a', 'b', 'd']);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });

  test('that cannot be had keeps the next turn from beginning', async () => {
    writeFileSync(at('bin/bwrap'), '#!/bin/sh\nexit 1\n');
    chmodSync(at('bin/bwrap'), 0o755);
    vi.stubEnv('PATH', `${at('bin')}${delimiter}${process.env['PATH']}`);
    const touch = call('Bash', { command: `touch ${at('canary')}` });
    const options = optionsOf([say('0'), touch, say('never')], { allowedTools: ['Bash'] });
    const talk = conversation(options);
    await talk.ask('go');
    write(user, { sandbox: { enabled: true } });
    talk.prompt.say('go on');
    await expect(talk.end()).rejects.toMatchObject({ code: 'sandbox.unavailable' });
    expect(existsSync(at('canary'))).toBe(false);
  });
});

test('a session in which hooks changed is replayed as it was', async () => {
  const { replaySession } = await import('./index.ts');
  const { id } = await turns(['cat'], [() => write(user, guard('cat')), () => write(user, {})]);
  expect(await replaySession(id, { home: at('home') })).toMatchObject({ mode: 'strict', changes: [] });
});
