import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyEvent, PermissionMode, SDKMessage, UUID } from '@rondo/protocol';
import type { Model } from '@rondo/runtime';
import { call, pauseUntil, say, scriptedModel, stall, type ScriptedStep } from '@rondo/runtime/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Options } from './options/options.ts';
import { query, type Query } from './query.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';
import { collectMessages } from './testing/collect-messages.ts';
import { type Conversation, conversation } from './testing/conversation.ts';
import type { Settings } from './settings/settings.ts';

// Sessions load the runtime, the tools and the sandbox; a busy machine takes its time with that.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-methods-'));
  for (const name of ['home', 'work', 'managed']) mkdirSync(join(root, name));
  Reflect.set(globalThis, Symbol.for('rondo.managed-folder'), join(root, 'managed'));
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('rondo.managed-folder'));
  rmSync(root, { recursive: true, force: true });
});

const place = (): Options => ({
  home: join(root, 'home'),
  cwd: join(root, 'work'),
  env: { PATH: process.env['PATH'], HOME: root, IS_SANDBOX: '1' },
});
const optionsOf = (model: Model | string, more: Options = {}): Options => ({ ...place(), model, ...more });

/** The name of a model that says its own name again and again. */
function named(name: string): string {
  writeFileSync(join(root, 'work', name), `version: 1\nsteps:\n${`  - text: ${name}\n`.repeat(5)}`);
  return `scripted/${name}`;
}

const inits = (lines: readonly SDKMessage[]) =>
  lines.filter((line) => line.type === 'system' && line.subtype === 'init');
const modes = (lines: readonly SDKMessage[]) =>
  lines.flatMap((line) => (line.type === 'system' && line.subtype === 'status' ? [line.permissionMode] : []));
const edit = (name: string) => call('Write', { file_path: name, content: 'x' });

async function eventsOf({ lines }: Pick<Conversation, 'lines'>): Promise<AnyEvent[]> {
  const id = inits(lines)[0]?.session_id ?? '';
  const events: AnyEvent[] = [];
  for await (const event of getSessionEvents(id, { home: join(root, 'home') })) events.push(event);
  return events;
}

const decisionsOf = async (talk: Pick<Conversation, 'lines'>) =>
  (await eventsOf(talk)).flatMap((event) => (event.type === 'tool.decided' ? [event.decision] : []));

describe('with one message, what steers a session says that it needs a stream', () => {
  const methods: Readonly<Record<string, (running: Query) => Promise<unknown>>> = {
    setPermissionMode: (running) => running.setPermissionMode('plan'),
    setModel: (running) => running.setModel('x/y'),
    applyFlagSettings: (running) => running.applyFlagSettings({ permissions: {} }),
  };
  test.each(Object.keys(methods))('%s', async (name) => {
    const running = query({ prompt: 'go', options: optionsOf(scriptedModel([say('x')])) });
    await expect(methods[name]?.(running)).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining(`query.${name}() needs a streaming prompt`) as string,
      details: { method: name },
    });
    expect((await collectMessages(running)).at(-1)).toMatchObject({ result: 'x' });
  });
});

test('one message can be interrupted, and its result says so', async () => {
  const model = scriptedModel([[say('half'), stall()]]);
  const running = query({ prompt: 'go', options: { ...optionsOf(model), includePartialMessages: true } });
  const lines: SDKMessage[] = [];
  const reading = (async () => {
    for await (const line of running) {
      lines.push(line);
      if (line.type === 'stream_event' && line.event.type === 'content_block_delta') await running.interrupt();
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: 'turn.failed' });
  expect(lines.at(-1)).toMatchObject({ type: 'result', terminal_reason: 'aborted_streaming' });
});

describe('setPermissionMode', () => {
  test('counts for the next decision of a turn at work, is told, and stays in the session', async () => {
    const hold = Promise.withResolvers<void>();
    const model = scriptedModel([
      edit('a'),
      [pauseUntil(hold.promise), edit('b')],
      say('1'),
      edit('c'),
      say('2'),
      edit('d'),
      say('3'),
    ]);
    const talk = conversation(optionsOf(model));
    talk.prompt.say('go');
    await talk.until((line) => line.type === 'user');
    await talk.query.setPermissionMode('acceptEdits');
    hold.resolve();
    await talk.until((line) => line.type === 'result');
    await talk.ask('again');
    await talk.end();
    expect(await decisionsOf(talk)).toEqual(['deny', 'allow', 'allow']);
    expect(modes(talk.lines)).toEqual(['acceptEdits']);
    expect(inits(talk.lines)).toMatchObject([{ permissionMode: 'default' }, { permissionMode: 'acceptEdits' }]);

    const resume = inits(talk.lines)[0]?.session_id ?? '';
    const again = await collectMessages(query({ prompt: 'more', options: optionsOf(model, { resume }) }));
    expect(inits(again)).toMatchObject([{ permissionMode: 'acceptEdits' }]);
    expect(await decisionsOf(talk)).toEqual(['deny', 'allow', 'allow', 'allow']);
  });

  test('before anything was said, it holds for the first turn', async () => {
    const talk = conversation(optionsOf(scriptedModel([edit('a'), say('1')])));
    await talk.query.setPermissionMode('acceptEdits');
    await talk.ask('go');
    await talk.end();
    expect(await decisionsOf(talk)).toEqual(['allow']);
  });

  test.each(['before the first turn', 'after it'])(
    'what nobody consented to is refused %s and changes nothing',
    async (when) => {
      const talk = conversation(optionsOf(scriptedModel([say('0'), edit('a'), say('1')])));
      if (when === 'after it') await talk.ask('hello');
      await expect(talk.query.setPermissionMode('bypassPermissions')).rejects.toMatchObject({
        code: 'permission.bypass_refused',
      });
      await expect(talk.query.setPermissionMode('odd' as PermissionMode)).rejects.toMatchObject({
        code: 'input.invalid',
      });
      if (when !== 'after it') await talk.ask('hello');
      await talk.ask('go');
      await talk.end();
      expect(await decisionsOf(talk)).toEqual(['deny']);
      expect(modes(talk.lines)).toEqual([]);
    },
  );

  test('with consent, bypassing is possible', async () => {
    const talk = conversation(
      optionsOf(scriptedModel([edit('a'), say('1')]), { allowDangerouslySkipPermissions: true }),
    );
    await talk.query.setPermissionMode('bypassPermissions');
    await talk.ask('go');
    await talk.end();
    expect(await decisionsOf(talk)).toEqual(['allow']);
  });

  test('a question that is open waits on for its answer', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<{ behavior: 'deny'; message: string }>();
    const talk = conversation(
      optionsOf(scriptedModel([edit('a'), edit('b'), say('1')]), {
        canUseTool: () => {
          asked.resolve();
          return answer.promise;
        },
      }),
    );
    talk.prompt.say('go');
    await asked.promise;
    await talk.query.setPermissionMode('acceptEdits');
    answer.resolve({ behavior: 'deny', message: 'no' });
    await talk.until((line) => line.type === 'result');
    await talk.end();
    expect(await decisionsOf(talk)).toEqual(['deny', 'allow']);
  });
});

describe('setModel', () => {
  test('counts from the next turn on; without a name it is that of the options again', async () => {
    const talk = conversation(optionsOf(named('a.yaml')));
    const said = [await talk.ask('1')];
    await talk.query.setModel(named('b.yaml'));
    said.push(await talk.ask('2'));
    await talk.query.setModel();
    said.push(await talk.ask('3'));
    await talk.end();
    expect(said.map((line) => 'result' in line && line.result)).toEqual(['a.yaml', 'b.yaml', 'a.yaml']);
    expect(inits(talk.lines)).toMatchObject(
      [{ model: /a\.yaml/ }, { model: /b\.yaml/ }, { model: /a\.yaml/ }].map(({ model }) => ({
        model: expect.stringMatching(model) as string,
      })),
    );
    const started = (await eventsOf(talk)).flatMap((event) =>
      event.type === 'turn.started' ? [event.binding.model] : [],
    );
    expect(started).toEqual(['scripted/a.yaml', 'scripted/b.yaml', 'scripted/a.yaml']);
  });

  test('a turn that streams keeps its own, and the last of several calls counts', async () => {
    const hold = Promise.withResolvers<void>();
    const model = scriptedModel([[say('one'), pauseUntil(hold.promise), call('Read', { file_path: 'x' })], say('end')]);
    const talk = conversation(optionsOf(model, { includePartialMessages: true }));
    talk.prompt.say('go');
    await talk.until((line) => line.type === 'stream_event' && line.event.type === 'content_block_delta');
    const changes = [talk.query.setModel(named('a.yaml')), talk.query.setModel(named('b.yaml'))];
    await Promise.all(changes);
    hold.resolve();
    const first = await talk.until((line) => line.type === 'result');
    expect(first).toMatchObject({ result: 'end' });
    expect(await talk.ask('2')).toMatchObject({ result: 'b.yaml' });
    await talk.end();
    expect(model.requests).toHaveLength(2);
  });

  test('a message that is said right after waits for it', async () => {
    const talk = conversation(optionsOf(scriptedModel([])));
    const change = talk.query.setModel(named('a.yaml'));
    talk.prompt.say('go');
    await change;
    expect(await talk.until((line) => line.type === 'result')).toMatchObject({ result: 'a.yaml' });
    await talk.end();
  });

  test.each([
    ['unknown/model', 'model.unknown'],
    ['anthropic/claude-opus-4-1', 'model.key_missing'],
    ['', 'input.invalid'],
  ])('what cannot be is refused at once and changes nothing: %j', async (name, code) => {
    const talk = conversation(optionsOf(named('a.yaml')));
    await expect(talk.query.setModel(name)).rejects.toMatchObject({ code });
    expect(await talk.ask('1')).toMatchObject({ result: 'a.yaml' });
    await talk.end();
  });

  test('the model of a query that is recorded stays as it is, also where variables change', async () => {
    const record = join(root, 'recorded.yaml');
    const talk = conversation(optionsOf(named('a.yaml'), { record, settings: { env: { COLOUR: 'red' } } }));
    await talk.ask('1');
    await expect(talk.query.setModel(named('b.yaml'))).rejects.toThrow('options.record');
    await talk.query.applyFlagSettings({ env: { COLOUR: 'blue' } });
    expect(await talk.ask('2')).toMatchObject({ result: 'a.yaml' });
    await talk.end();
    expect(readFileSync(record, 'utf8').match(/text: a\.yaml/g)).toHaveLength(2);
  });

  test('the session goes on with it when it is resumed', async () => {
    const talk = conversation({ ...place(), settings: { model: named('a.yaml') } });
    await talk.ask('1');
    await talk.query.setModel(named('b.yaml'));
    await talk.ask('2');
    await talk.end();
    const resume = inits(talk.lines)[0]?.session_id ?? '';
    const options = { ...place(), settings: { model: named('a.yaml') }, resume };
    expect((await collectMessages(query({ prompt: 'more', options }))).at(-1)).toMatchObject({ result: 'b.yaml' });
  });
});

describe('setMaxThinkingTokens', () => {
  test('counts from the next turn on, and null is what the session began with', async () => {
    const model = scriptedModel([say('1'), say('2'), say('3'), say('4')]);
    const talk = conversation(optionsOf(model, { thinking: { type: 'adaptive' } }));
    const changes = [undefined, 2000, 0, null] as const;
    for (const tokens of changes) {
      if (tokens !== undefined) await talk.query.setMaxThinkingTokens(tokens);
      await talk.ask('go');
    }
    await talk.end();
    expect(model.requests.map(({ thinking }) => thinking)).toEqual([
      { type: 'adaptive' },
      { type: 'enabled', budgetTokens: 2000 },
      { type: 'disabled' },
      { type: 'adaptive' },
    ]);
  });

  test('null leaves it to a model that decides by itself, but for a session without thinking', async () => {
    for (const [options, expected] of [
      [{}, { type: 'adaptive' }],
      [{ thinking: { type: 'disabled' } }, { type: 'disabled' }],
      [{ maxThinkingTokens: 0 }, { type: 'disabled' }],
    ] as const) {
      const model = Object.assign(scriptedModel([say('1'), say('2'), say('3')]), { thinksAdaptively: true });
      const talk = conversation(optionsOf(model, options));
      for (const tokens of [undefined, 2000, null] as const) {
        if (tokens !== undefined) await talk.query.setMaxThinkingTokens(tokens);
        await talk.ask('go');
      }
      await talk.end();
      expect(model.requests.map(({ thinking }) => thinking)).toEqual([
        expected,
        { type: 'enabled', budgetTokens: 2000 },
        expected,
      ]);
    }
  });

  test('may be called with one message', async () => {
    const model = scriptedModel([say('x')]);
    const running = query({ prompt: 'go', options: optionsOf(model) });
    await running.setMaxThinkingTokens(1000);
    expect((await collectMessages(running)).at(-1)).toMatchObject({ result: 'x' });
  });

  test('what is no number of tokens is refused', async () => {
    const talk = conversation(optionsOf(scriptedModel([say('1')])));
    for (const tokens of [-1, 0.5, Number.NaN, '1000' as unknown as number])
      await expect(talk.query.setMaxThinkingTokens(tokens)).rejects.toThrow('takes a whole number from 0, or null');
    await talk.end();
  });
});

describe('applyFlagSettings', () => {
  const change = (settings: object): { [Key in keyof Settings]?: Settings[Key] | null } => settings;

  test('turns thinking off and on again', async () => {
    const model = Object.assign(scriptedModel([say('1'), say('2'), say('3')]), { thinksAdaptively: true });
    const talk = conversation(optionsOf(model));
    await talk.ask('go');
    await talk.query.applyFlagSettings(change({ alwaysThinkingEnabled: false }));
    await talk.ask('go');
    await talk.query.applyFlagSettings(change({ alwaysThinkingEnabled: null }));
    await talk.ask('go');
    await talk.end();
    expect(model.requests.map(({ thinking }) => thinking?.type)).toEqual(['adaptive', 'disabled', 'adaptive']);
  });

  test('changes the model as setModel does, and null takes it out', async () => {
    const talk = conversation({ ...place(), settings: { model: named('a.yaml') } });
    expect(await talk.ask('1')).toMatchObject({ result: 'a.yaml' });
    await talk.query.applyFlagSettings({ model: named('b.yaml') });
    expect(await talk.ask('2')).toMatchObject({ result: 'b.yaml' });
    writeFileSync(join(root, 'home', 'settings.json'), JSON.stringify({ model: named('c.yaml') }));
    await talk.query.applyFlagSettings({ model: null });
    expect(await talk.ask('3')).toMatchObject({ result: 'c.yaml' });
    await expect(
      talk.query.applyFlagSettings({ model: 'unknown/model', permissions: { deny: ['Read'] } }),
    ).rejects.toMatchObject({
      code: 'model.unknown',
    });
    await talk.end();
  });

  test('changes the effort from the next turn on', async () => {
    const model = scriptedModel(Array.from({ length: 6 }, (_, at) => say(`${at}`)));
    const talk = conversation(optionsOf(model, { settings: { effortLevel: 'low' } }));
    const changes = [
      {},
      { effortLevel: 'high' },
      { effortLevel: 'ultracode' },
      { effortLevel: null },
      { ultracode: true },
    ];
    for (const settings of changes) {
      await talk.query.applyFlagSettings(change(settings));
      await talk.ask('go');
    }
    await expect(talk.query.applyFlagSettings({ effortLevel: 'much' })).rejects.toThrow(
      'effortLevel takes low, medium',
    );
    await talk.end();
    expect(model.requests.map(({ effort }) => effort)).toEqual(['low', 'high', 'xhigh', undefined, 'xhigh']);
  });

  test('changes what commands see from the next turn on', async () => {
    const show = call('Bash', { command: 'echo "seen:$COLOUR"' });
    const model = scriptedModel([show, say('1'), show, say('2'), show, say('3')]);
    const talk = conversation(optionsOf(model, { settings: { env: { COLOUR: 'red' } } }));
    await talk.ask('1');
    await talk.query.applyFlagSettings({ env: { COLOUR: 'blue' } });
    await talk.ask('2');
    await talk.query.applyFlagSettings({ env: null });
    await talk.ask('3');
    await talk.end();
    const seen = JSON.stringify(talk.lines.filter(({ type }) => type === 'user')).match(/seen:\w*/g) ?? [];
    expect([...new Set(seen)]).toEqual(['seen:red', 'seen:blue', 'seen:']);
  });

  test('changes hooks from the next turn on, and the log says what each turn had', async () => {
    const steps: ScriptedStep[] = ['a', 'b', 'c', 'd'].flatMap((name) => [edit(name), say(name)]);
    const talk = conversation(optionsOf(scriptedModel(steps), { permissionMode: 'acceptEdits' }));
    const denies = { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] };
    const changes = [{}, { hooks: denies }, { disableAllHooks: true }, { disableAllHooks: null, hooks: null }];
    for (const settings of changes) {
      await talk.query.applyFlagSettings(change(settings));
      await talk.ask('go');
    }
    await talk.end();
    expect(await decisionsOf(talk)).toEqual(['allow', 'deny', 'allow', 'allow']);
    const hooks = (await eventsOf(talk)).flatMap((event) =>
      event.type === 'turn.started' ? [event.binding.hooks.length] : [],
    );
    expect(hooks).toEqual([0, 1, 0, 0]);
  });

  test('what cannot be changed is refused by name; what only shapes the prompt changes nothing', async () => {
    const talk = conversation(optionsOf(scriptedModel([say('1')])));
    const refused = {
      agent: 'helper',
      skillOverrides: { pdf: 'on' },
      fastMode: true,
      outputStyle: 'Explanatory',
      enabledPlugins: { a: true },
      cleanupPeriodDays: 3,
      allowManagedHooksOnly: true,
      hoooks: {},
    };
    for (const [key, value] of Object.entries(refused))
      await expect(talk.query.applyFlagSettings({ [key]: value }), key).rejects.toMatchObject({
        code: 'input.invalid',
        message: expect.stringContaining(`applyFlagSettings(): ${key} `) as string,
      });
    await talk.query.applyFlagSettings({ agent: null, fastMode: undefined, outputStyle: 'default', language: 'fr' });
    await talk.ask('go');
    await talk.end();
  });
});

describe('what a session offers', () => {
  const keyed = (): Options => ({ ...place(), env: { ...place().env, ANTHROPIC_API_KEY: 'sk-0123456789' } });

  test('is told with one message and with a stream, also after the end', async () => {
    const options = optionsOf(scriptedModel([say('x')]));
    const running = query({ prompt: 'go', options });
    const first = await running.initializationResult();
    expect(first).toMatchObject({
      commands: [],
      agents: [],
      output_style: 'default',
      available_output_styles: ['default'],
      account: {},
    });
    expect(first.models.map(({ value }) => value)).toContain('default');
    await collectMessages(running);
    expect(await running.initializationResult()).toBe(first);
    expect(await running.supportedModels()).toBe(first.models);
    expect(await running.supportedCommands()).toEqual([]);
    expect(await running.supportedAgents()).toEqual([]);
    await expect(running.reinitialize()).rejects.toMatchObject({ code: 'channel.closed' });
  });

  test.each<[string, Options, object]>([
    ['a variable', { env: { ANTHROPIC_API_KEY: 'sk-0123456789' } }, { apiKeySource: 'ANTHROPIC_API_KEY' }],
    ['a token', { env: { ANTHROPIC_AUTH_TOKEN: 'token-0123' } }, { tokenSource: 'ANTHROPIC_AUTH_TOKEN' }],
    ['a helper', { settings: { apiKeyHelper: 'echo sk-0123456789' } }, { apiKeySource: 'apiKeyHelper' }],
    ['nobody', { model: named === undefined ? '' : 'scripted/none.yaml' }, {}],
  ])('says that %s pays', async (_who, more, account) => {
    named('none.yaml');
    const env = { ...place().env, ...more.env };
    const running = query({ prompt: (async function* () {})(), options: { ...keyed(), ...more, env } });
    expect(await running.accountInfo()).toEqual(account);
    running.close();
  });

  test('reinitialize puts open questions again under their IDs; the first answer counts', async () => {
    const asked: string[] = [];
    const twice = Promise.withResolvers<void>();
    const first = Promise.withResolvers<null>();
    const talk = conversation(
      optionsOf(scriptedModel([edit('a'), say('1')]), {
        canUseTool: (_name, _input, { requestId }) => {
          asked.push(requestId);
          if (asked.length === 1) {
            twice.resolve();
            return first.promise;
          }
          return Promise.resolve({ behavior: 'allow' as const });
        },
      }),
    );
    talk.prompt.say('go');
    await twice.promise;
    const fresh = await talk.query.reinitialize();
    expect(fresh.output_style).toBe('default');
    expect(fresh).not.toBe(await talk.query.initializationResult());
    await talk.until((line) => line.type === 'result');
    first.resolve(null);
    await talk.query.reinitialize();
    await talk.end();
    expect(asked).toHaveLength(2);
    expect(new Set(asked).size).toBe(1);
    expect(await decisionsOf(talk)).toEqual(['allow']);
  });

  test('a question that was answered null is answered after it is put again', async () => {
    let times = 0;
    const asked = Promise.withResolvers<void>();
    const talk = conversation(
      optionsOf(scriptedModel([edit('a'), say('1')]), {
        canUseTool: () => {
          times += 1;
          asked.resolve();
          return Promise.resolve(times < 3 ? null : { behavior: 'allow' as const });
        },
        stderr: () => {},
      }),
    );
    talk.prompt.say('go');
    await asked.promise;
    await talk.query.reinitialize();
    await talk.query.reinitialize();
    await talk.until((line) => line.type === 'result');
    await talk.end();
    expect(await decisionsOf(talk)).toEqual(['allow']);
  });
});

describe('what is not there yet', () => {
  test('files are given back by no version of this', async () => {
    const running = query({ prompt: 'go', options: optionsOf(scriptedModel([say('x')])) });
    await expect(running.rewindFiles('f0000000-0000-4000-8000-00000000000f', { dryRun: true })).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining('enableFileCheckpointing') as string,
    });
    await collectMessages(running);
  });

  test('a task that is not there needs no stopping', async () => {
    const talk = conversation(optionsOf(scriptedModel([])));
    expect(await talk.query.stopTask('b12345678')).toBeUndefined();
    await talk.end();
  });
});

describe('interrupt', () => {
  const uuid = (last: string): UUID => `f0000000-0000-4000-8000-00000000000${last}`;

  test('names the messages with a uuid that wait, before the turn’s result, and they run at once', async () => {
    const model = scriptedModel([[say('x'), stall()], say('two'), say('three')]);
    const talk = conversation(optionsOf(model, { includePartialMessages: true, commandLifecycle: true }));
    talk.prompt.say('go', { uuid: uuid('1') });
    await talk.until((line) => line.type === 'stream_event' && line.event.type === 'content_block_delta');
    talk.prompt.say('with', { uuid: uuid('2'), priority: 'later' });
    talk.prompt.say('without', { priority: 'later' });
    const queued = (line: SDKMessage): boolean => 'command_uuid' in line && line.command_uuid === uuid('2');
    await talk.until(queued);
    const receipt = await talk.query.interrupt();
    expect(talk.lines.some(({ type }) => type === 'result')).toBe(false);
    expect(receipt).toEqual({ still_queued: [uuid('2')] });
    const lines = await talk.end();
    expect(lines.filter((line) => line.type === 'result')).toMatchObject([
      { terminal_reason: 'aborted_streaming' },
      { result: 'two' },
      { result: 'three' },
    ]);
  });

  test('with nothing at work, nothing is stopped', async () => {
    const talk = conversation(optionsOf(scriptedModel([say('1'), say('2')])));
    expect(await talk.query.interrupt()).toEqual({ still_queued: [] });
    expect(await talk.ask('go')).toMatchObject({ result: '1' });
    expect(await talk.query.interrupt()).toEqual({ still_queued: [] });
    expect(await talk.ask('go')).toMatchObject({ result: '2' });
    await talk.end();
  });
});

describe('the end of a query', () => {
  const later: readonly ((running: Query) => Promise<unknown>)[] = [
    (running) => running.interrupt(),
    (running) => running.setPermissionMode('plan'),
    (running) => running.setModel(),
    (running) => running.setMaxThinkingTokens(null),
    (running) => running.applyFlagSettings({}),
    (running) => running.mcpServerStatus(),
    (running) => running.setMcpServers({}),
    (running) => running.stopTask('x'),
    (running) => running.streamInput((async function* () {})()),
  ];

  test('every method that needs the session rejects after it', async () => {
    const talk = conversation(optionsOf(scriptedModel([say('1')])));
    await talk.ask('go');
    await talk.end();
    for (const method of later)
      await expect(method(talk.query)).rejects.toMatchObject({
        code: 'channel.closed',
        message: expect.stringMatching(/closed before a response/) as string,
      });
  });

  test('close rejects what waits for its answer, and ends what is at work', async () => {
    const talk = conversation(optionsOf(scriptedModel([[say('x'), stall()]]), { includePartialMessages: true }));
    talk.prompt.say('go');
    await talk.until((line) => line.type === 'stream_event');
    const waiting = later.map((method) =>
      method(talk.query).then(
        () => 'answered',
        (error: { code?: string }) => error.code,
      ),
    );
    talk.query.close();
    const answers = await Promise.all(waiting);
    expect(answers.every((answer) => answer === 'answered' || answer === 'channel.closed')).toBe(true);
    expect(answers).toContain('channel.closed');
    await talk.end();
  });

  test('await using gives everything back, also of a query that nobody reads', async () => {
    const model = scriptedModel([[say('x'), stall()], say('two')]);
    let id = '';
    {
      await using running = query({ prompt: 'go', options: optionsOf(model) });
      id = (await running.next()).value?.session_id ?? '';
    }
    {
      await using unread = query({ prompt: 'go', options: optionsOf(scriptedModel([stall()])) });
      expect(typeof unread.close).toBe('function');
    }
    await query({ prompt: 'go', options: optionsOf(scriptedModel([stall()])) }).return();
    const again = await collectMessages(query({ prompt: 'more', options: optionsOf(model, { resume: id }) }));
    expect(again.at(-1)).toMatchObject({ result: 'two' });
  });
});
