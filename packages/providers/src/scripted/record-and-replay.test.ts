import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnRecord } from '@rondo/protocol';
import type { Model, ModelRequest } from '@rondo/runtime';
import { createNodeRuntime } from '@rondo/runtime/node';
import {
  call,
  fail,
  recordingTool,
  say,
  scriptedModel,
  temporaryBinding,
  think,
  type RecordedResult,
  type ScriptedStep,
} from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { compareRequest } from './compare-request.ts';
import { createScriptModel } from './create-script-model.ts';
import { readScriptFile } from './read-script.ts';
import { recordModel } from './record-model.ts';
import type { ReplayModel } from './create-replay-model.ts';
import { replayModelFromSession } from './replay-model-from-session.ts';
import { saidSettings } from './said-request.ts';

const key = 'sk-secret-0123456789';

interface Sitting {
  /** Under it sessions are kept. */
  readonly home: string;
  readonly model: Model | ((folder: string) => Promise<Model>);
  readonly says: readonly string[];
  readonly results?: readonly RecordedResult[];
  readonly sessionId?: string;
  readonly system?: string;
  readonly environment?: string;
  /** Called with the way to interrupt once a turn is at work. */
  readonly during?: (interrupt: () => Promise<unknown>) => Promise<void>;
}

interface Sat {
  readonly sessionId: string;
  readonly records: readonly TurnRecord[];
  readonly folder: string;
}

/** A runtime of its own, as a process has one, for some turns. */
async function sit(sitting: Sitting): Promise<Sat> {
  const { home, model, says, results = [], system = 'You count.', environment } = sitting;
  const tool = recordingTool({ name: 'count', effect: 'none', results });
  await using place = await temporaryBinding({
    model: scriptedModel([]),
    tools: [tool],
    system,
    secrets: [key],
    ...(environment !== undefined && { environment: async () => environment }),
  });
  const runtime = createNodeRuntime({ home });
  const bindingId = runtime.bind({
    ...place.binding,
    model: typeof model === 'function' ? await model(place.folder) : model,
  });
  const sessionId = sitting.sessionId ?? (await runtime.createSession({ bindingId })).sessionId;
  const records: TurnRecord[] = [];
  for (const text of says) {
    const content = [{ type: 'text' as const, text: text.replaceAll('FOLDER', place.folder) }];
    const started = await runtime.startTurn({ sessionId, bindingId, content });
    if (started.type !== 'started') throw new Error('the session is busy');
    const { turnId } = started;
    await sitting.during?.(() => runtime.interruptTurn({ sessionId, turnId }));
    for await (const batch of runtime.subscribe(sessionId, { signal: new AbortController().signal })) {
      if (batch.some((event) => event.type === 'turn.ended' && event.turnId === turnId)) break;
    }
    records.push(await runtime.readTurn({ sessionId, turnId }));
  }
  await runtime.close();
  return { sessionId, records, folder: place.folder };
}

const texts = ({ records }: Sat): unknown[] => records.map(({ text }) => text);
const failure = ({ records }: Sat): string => {
  const last = records.at(-1);
  return last?.type === 'failed' ? last.error.message : '';
};

async function place() {
  const made = await temporaryBinding({ model: scriptedModel([]) });
  return { ...made, home: join(made.folder, 'home'), [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
}

const story: readonly ScriptedStep[] = [
  fail('model.overloaded', { status: 529 }),
  [think('Two things.', 'signed'), say('I count.'), call('count', { key, of: 'pens' })],
  [call('count', { of: 'ink' }), call('count', { of: 'paper' })],
  say('Twelve pens.'),
  say('Good bye.'),
];
const counted = ['12 pens', '3 bottles', 'no paper'];

async function recorded(file: string, { home, environment }: { home: string; environment?: string }): Promise<Sat> {
  const model = scriptedModel(story, { name: 'vendor/model', limits: { contextWindow: 1000 }, secrets: [key] });
  const sat = await sit({
    home,
    model: await recordModel(model, { file, variables: { cwd: '/nowhere', home: '/nobody' } }),
    says: ['count them', 'good bye'],
    results: counted,
    ...(environment !== undefined && { environment }),
  });
  model.assertDone();
  return sat;
}

describe('a recording', () => {
  test.each(['story.yaml', 'story.json'])(
    '%s plays as it was, and says nothing of keys, IDs and signatures',
    async (name) => {
      await using made = await place();
      const file = join(made.folder, name);
      expect(texts(await recorded(file, made))).toEqual(['Twelve pens.', 'Good bye.']);
      const text = readFileSync(file, 'utf8');
      for (const gone of [key, 'signed', 'call-1', made.home]) expect(text).not.toContain(gone);
      expect(text).toContain('[redacted]');
      const model = createScriptModel(await readScriptFile(file));
      expect(model.limits).toEqual({ contextWindow: 1000 });
      const again = await sit({ home: made.home, model, says: ['count them', 'good bye'], results: counted });
      expect(texts(again)).toEqual(['Twelve pens.', 'Good bye.']);
      model.assertDone();
    },
  );

  test('is the file that a person would write', async () => {
    await using made = await place();
    const file = join(made.folder, 'story.yaml');
    await recorded(file, made);
    const steps = readFileSync(file, 'utf8').replace(/^[^]*?steps:\n/, '');
    expect(steps).toBe(`  - request:
      system: You count.
      tools:
        - name: count
          description: records calls of count
          inputSchema:
            type: object
      user: count them
    error:
      status: 529
      code: model.overloaded
      message: "scripted failure: model.overloaded"
  - reasoning: Two things.
    text: I count.
    call: count
    input:
      key: "[redacted]"
      of: pens
    usage: { inputTokens: 10, outputTokens: 5 }
  - request:
      user:
        - result: count
          text: 12 pens
    reply:
      - call: count
        input:
          of: ink
      - call: count
        input:
          of: paper
    usage: { inputTokens: 10, outputTokens: 5 }
  - request:
      user:
        - result: count
          text: 3 bottles
        - result: count
          text: no paper
    text: Twelve pens.
    usage: { inputTokens: 10, outputTokens: 5 }
  - request:
      user: good bye
    text: Good bye.
    usage: { inputTokens: 10, outputTokens: 5 }
`);
  });

  test.each([
    ['another prompt', { system: 'You count twice.' }, 'step 1 of', '-system: You count.\n+system: You count twice.'],
    ['another message', { says: ['count us'] }, 'step 1 of', '-user: count them\n+user: count us'],
    ['another result', { results: ['13 pens', '', ''] }, 'step 3 of', '-    text: 12 pens\n+    text: 13 pens'],
  ])('%s fails with the first request that differs', async (_name, change, step, diff) => {
    await using made = await place();
    const file = join(made.folder, 'story.yaml');
    await recorded(file, made);
    const model = createScriptModel(await readScriptFile(file));
    const message = failure(await sit({ home: made.home, model, says: ['count them'], results: counted, ...change }));
    expect(message).toContain(step);
    expect(message).toContain(diff);
    expect(() => model.assertDone()).toThrow(diff);
  });

  test('what a session says of its surroundings may differ', async () => {
    await using made = await place();
    const file = join(made.folder, 'story.yaml');
    await recorded(file, { ...made, environment: 'Your surroundings:\nDate: 2026-01-01\nPlatform: linux x64' });
    const model = createScriptModel(await readScriptFile(file));
    const environment = 'Your surroundings:\nDate: 2027-02-02\nPlatform: darwin arm64';
    const again = await sit({ home: made.home, model, says: ['count them'], results: counted, environment });
    expect(texts(again)).toEqual(['Twelve pens.']);
  });

  test('can be played after every step, goes on in another process, and is never written over', async () => {
    await using made = await place();
    const file = join(made.folder, 'two.yaml');
    const vendor = (answer: string): Promise<Model> =>
      recordModel(scriptedModel([say(answer)], { name: 'vendor/model' }), { file });
    const first = await sit({ home: made.home, model: await vendor('one'), says: ['first'] });
    expect((await readScriptFile(file)).steps).toHaveLength(1);
    writeFileSync(file, readFileSync(file, 'utf8').replace('steps:', '# Mine.\nsteps:'));
    await sit({ home: made.home, model: await vendor('two'), says: ['second'], sessionId: first.sessionId });
    expect(readFileSync(file, 'utf8')).toContain('# Mine.');
    const model = createScriptModel(await readScriptFile(file));
    const begun = await sit({ home: made.home, model, says: ['first'] });
    const other = createScriptModel(await readScriptFile(file));
    const ended = await sit({ home: made.home, model: other, says: ['second'], sessionId: begun.sessionId });
    expect([...texts(begun), ...texts(ended)]).toEqual(['one', 'two']);
    other.assertDone();

    const anew = await sit({ home: made.home, model: await vendor('x'), says: ['other'] });
    expect(failure(anew)).toContain('does not hold this conversation');
    writeFileSync(file, 'version: 1\nsteps: [{ text: by hand }]\n');
    await expect(vendor('x')).rejects.toMatchObject({ code: 'input.invalid' });
    expect(readFileSync(file, 'utf8')).toContain('by hand');
  });

  test('a place where no file can be is told before anything is asked, and a disk that fails when it does', async () => {
    await using place = await temporaryBinding({ model: scriptedModel([]) });
    const model = scriptedModel([say('hello')], { name: 'vendor/model' });
    const into = (...path: string[]) => recordModel(model, { file: join(place.folder, ...path) });
    await expect(into('no', 'such.yaml')).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringMatching(/^Nothing can be recorded into .*such\.yaml: there is no folder /),
    });
    await expect(into()).rejects.toThrow('it is a folder');
    const recorded = await into('late.yaml');
    mkdirSync(join(place.folder, 'late.yaml'));
    const run = sit({ home: place.folder, model: recorded, says: ['hi'] });
    expect((await run).records[0]).toMatchObject({ type: 'failed', error: { code: 'input.invalid' } });
  });

  test('several sessions are several conversations', async () => {
    await using made = await place();
    const file = join(made.folder, 'both.yaml');
    const steps = [say('an apple'), say('a pear')];
    const model = await recordModel(scriptedModel(steps, { name: 'vendor/model' }), { file });
    for (const says of [['apple?'], ['pear?']]) await sit({ home: made.home, model, says });
    const played = createScriptModel(await readScriptFile(file));
    const other = await sit({ home: made.home, model: played, says: ['pear?'] });
    const one = await sit({ home: made.home, model: played, says: ['apple?'] });
    expect([...texts(other), ...texts(one)]).toEqual(['a pear', 'an apple']);
    played.assertDone();
  });

  test('a reply that was stopped is what it had said by then', async () => {
    await using made = await place();
    const file = join(made.folder, 'stopped.yaml');
    const never = new Promise<never>(() => {});
    const reached = Promise.withResolvers<void>();
    const vendor = scriptedModel(
      [() => [say('A long '), { do: 'pause', until: (reached.resolve(), never) }], say('Yes?')],
      { name: 'vendor/model' },
    );
    const model = await recordModel(vendor, { file });
    let turns = 0;
    const during = async (interrupt: () => Promise<unknown>): Promise<void> => {
      turns += 1;
      if (turns > 1) return;
      await reached.promise;
      await interrupt();
    };
    await sit({ home: made.home, model, says: ['tell', 'you there?'], during });
    const script = await readScriptFile(file);
    expect(script.steps[0]?.said).toMatchObject({ text: 'A long ', interrupted: true });
    const played = createScriptModel(script);
    expect(texts(await sit({ home: made.home, model: played, says: ['tell', 'you there?'] }))).toEqual([
      'A long ',
      'Yes?',
    ]);
    played.assertDone();
  });
});

describe('a replay', () => {
  async function session(home: string): Promise<Sat> {
    const model = scriptedModel(story, { name: 'vendor/model' });
    const sat = await sit({ home, model, says: ['count them in FOLDER', 'good bye'], results: counted });
    model.assertDone();
    return sat;
  }

  test('answers as it did, by its ID, its beginning or the path of a copy, in another folder', async () => {
    await using made = await place();
    const { sessionId } = await session(made.home);
    const copy = join(made.folder, 'kept.jsonl');
    await cp(join(made.home, 'sessions', sessionId, 'log.jsonl'), copy);
    for (const reference of [sessionId, sessionId.slice(0, 13), copy]) {
      let replayed: ReplayModel | undefined;
      const model = async (cwd: string): Promise<Model> =>
        (replayed = await replayModelFromSession(reference, { home: made.home, cwd }));
      const says = ['count them in FOLDER', 'good bye'];
      const again = await sit({ home: join(made.folder, 'elsewhere'), model, says, results: counted });
      expect(texts(again)).toEqual(['Twelve pens.', 'Good bye.']);
      expect(replayed?.name).toBe(`replay/${reference}`);
      replayed?.assertDone();
    }
  });

  test('fails at the first request that differs, with its diff', async () => {
    await using made = await place();
    const { sessionId } = await session(made.home);
    const model = await replayModelFromSession(`${sessionId}?unused=error`, { home: made.home });
    const sat = await sit({ home: made.home, model, says: ['count them in FOLDER'], results: ['13 pens', '', ''] });
    expect(failure(sat)).toContain(`request 1 of 4 of replay/${sessionId} was recorded for another request`);
    const loose = await replayModelFromSession(`${sessionId}?match=none`, { home: made.home });
    expect(texts(await sit({ home: made.home, model: loose, says: ['x'], results: ['13 pens', '', ''] }))).toEqual([
      'Twelve pens.',
    ]);
    await loose.close();
    expect(() => loose.assertDone()).toThrow('1 recorded request was not made; the first is request 4 of 4');
    const strict = await replayModelFromSession(`${sessionId}?match=none&unused=error`, { home: made.home });
    await expect(strict.close()).rejects.toThrow('4 recorded requests were not made; the first is request 1 of 4');
  });

  test('retries can be played', async () => {
    await using made = await place();
    const { sessionId } = await session(made.home);
    const model = await replayModelFromSession(`${sessionId}?match=none&retries=play`, { home: made.home });
    expect(model.exchanges.map(({ outcome }) => outcome.type)).toEqual(['failed', ...Array(4).fill('replied')]);
    expect(texts(await sit({ home: made.home, model, says: ['count', 'good bye'], results: counted }))).toEqual([
      'Twelve pens.',
      'Good bye.',
    ]);
    model.assertDone();
  });

  test('interrupts, failures and several models are as they were', async () => {
    await using made = await place();
    const reached = Promise.withResolvers<void>();
    const never = new Promise<never>(() => {});
    const first = scriptedModel([() => [say('A long '), { do: 'pause', until: (reached.resolve(), never) }]], {
      name: 'one/model',
    });
    const { sessionId } = await sit({
      home: made.home,
      model: first,
      says: ['tell'],
      during: async (interrupt) => {
        await reached.promise;
        await interrupt();
      },
    });
    const second = scriptedModel([[think('hm', 's'), say('Yes.')], fail('model.refused')], { name: 'two/model' });
    await sit({ home: made.home, model: second, says: ['there?', 'and now?'], sessionId });
    const third = scriptedModel([say('Here.')], { name: 'one/model' });
    await sit({ home: made.home, model: third, says: ['still?'], sessionId });

    const model = await replayModelFromSession(sessionId, { home: made.home });
    const says = ['tell', 'there?', 'and now?', 'still?'];
    const again = await sit({ home: made.home, model, says });
    expect(again.records.map(({ type }) => type)).toEqual(['completed', 'completed', 'failed', 'completed']);
    expect(texts(again)).toMatchObject(['A long ', 'Yes.', expect.anything(), 'Here.']);
    model.assertDone();
  });

  test.each([
    ['?mach=all', 'did you mean match'],
    ['?match=some', 'all, prompts, none'],
  ])('%s is refused', async (query, way) => {
    await expect(replayModelFromSession(`x${query}`)).rejects.toThrow(way);
  });

  test('a session that is not there is told', async () => {
    await using made = await place();
    await session(made.home);
    await expect(replayModelFromSession('nothing', { home: made.home })).rejects.toMatchObject({
      code: 'session.not_found',
    });
    await expect(replayModelFromSession('', { home: made.home })).rejects.toMatchObject({ code: 'session.not_found' });
    writeFileSync(join(made.folder, 'a.jsonl'), 'nothing\n');
    await expect(replayModelFromSession(join(made.folder, 'a.jsonl'))).rejects.toThrow(
      'it does not begin as a log does',
    );
  });
});

test('a changed schema of the answer is in the diff', async () => {
  const asking = (type: string): ModelRequest => ({
    system: '',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    output: { schema: { type: 'object', properties: { shipped: { type } } } },
  });
  const options = { place: 'step 1', match: 'all', ignore: [] } as const;
  const recorded = { settings: saidSettings(asking('boolean')) };
  await compareRequest(recorded, asking('boolean'), options);
  await expect(compareRequest(recorded, asking('string'), options)).rejects.toThrow(
    /-\s+type: boolean\n\+\s+type: string/,
  );
});
