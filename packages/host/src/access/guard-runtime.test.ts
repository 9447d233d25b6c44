import type { PermissionMode } from '@rondo/protocol';
import { createMemoryChannel, type Frame } from '@rondo/protocol';
import { createMemoryStore, createRuntime } from '@rondo/runtime';
import { scriptedModel, say, sha256, temporaryBinding } from '@rondo/runtime/testing';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveRuntime } from '../serve-runtime.ts';
import { isInFolder } from './is-in-folder.ts';
import { methodRights } from './method-rights.ts';
import type { Principal, Right } from './principal.ts';

const everything: readonly Right[] = ['read', 'answer', 'drive'];

describe('a principal over a runtime with sessions in two folders', async () => {
  const inside = await temporaryBinding({ model: scriptedModel([say('a'), say('b')]) });
  const outside = await temporaryBinding({ model: scriptedModel([say('c')]) });
  let runtime = createRuntime({ store: createMemoryStore(), sha256 });

  beforeEach(() => {
    runtime = createRuntime({ store: createMemoryStore(), sha256 });
    runtime.bind(inside.binding, 'inside');
    runtime.bind(outside.binding, 'outside');
    const wild = { ...inside.binding, policy: { ...inside.binding.policy, mode: 'acceptEdits' as const } };
    runtime.bind(wild, 'wild');
  });
  afterEach(async () => await runtime.close());
  afterAll(async () => {
    await inside[Symbol.asyncDispose]();
    await outside[Symbol.asyncDispose]();
  });

  /** Asks as the principal does, over a channel of its own. */
  async function ask(principal: Principal, method: string, params: object): Promise<Frame> {
    const [near, far] = createMemoryChannel();
    const served = serveRuntime(runtime, far, { trusted: true, principal });
    near.send({ jsonrpc: '2.0', id: 1, method, params: params as never });
    const frames = near.frames[Symbol.asyncIterator]();
    const { value } = await frames.next();
    await served[Symbol.asyncDispose]();
    return value as Frame;
  }
  test('sees of the catalog the agents that it may start sessions of', async () => {
    for (const [name, of] of [
      ['inside', inside],
      ['outside', outside],
      ['wild', inside],
    ] as const) {
      const policy = { ...of.binding.policy, mode: name === 'wild' ? ('acceptEdits' as const) : ('default' as const) };
      runtime.bind({ ...of.binding, agent: { name, fingerprint: name }, policy }, `agent:${name}`);
    }
    const names = async (principal: Principal) => {
      const frame = await ask(principal, 'catalog/read', {});
      const { agents } = (frame as unknown as { result: { agents: { name: string }[] } }).result;
      return agents.map(({ name }) => name);
    };
    expect(await names({ name: 'root', rights: everything })).toEqual(['inside', 'outside', 'wild']);
    expect(await names(bounded())).toEqual(['inside', 'wild']);
    expect(await names(bounded({ highestMode: 'default' }))).toEqual(['inside']);
    expect(await ask(bounded({ rights: ['answer'] }), 'catalog/read', {})).toMatchObject({
      error: { data: { code: 'access.denied' } },
    });
  });

  const bounded = (more: Partial<Principal> = {}): Principal => ({
    name: 'ada',
    rights: everything,
    folders: [inside.folder],
    ...more,
  });
  const message = { content: [{ type: 'text', text: 'go' }] };
  const denied = (details: object) => ({ error: { data: { code: 'access.denied', details } } });
  const notFound = { error: { data: { code: 'session.not_found' } } };

  test.each(Object.entries(methodRights))('%s is refused without its right, which is named', async (method, right) => {
    const others = everything.filter((each) => each !== right);
    const frame = await ask({ name: 'bot', rights: others }, method, { protocolVersion: 1 });
    if (right === undefined) expect(frame).toHaveProperty('result');
    else expect(frame).toMatchObject(denied({ method, right }));
  });

  test('sessions elsewhere do not exist for it, whatever it asks of them', async () => {
    const { sessionId } = await runtime.createSession({ bindingId: 'outside' });
    const { turnId } = (await runtime.startTurn({ sessionId, bindingId: 'outside', content: [] })) as never;
    const asked: [string, object][] = [
      ['session/read', {}],
      ['session/open', { bindingId: 'inside', unfinished: 'settle' }],
      ['session/fork', { bindingId: 'inside' }],
      ['session/update', { title: 'mine' }],
      ['turn/start', { bindingId: 'inside', ...message }],
      ['turn/send', { bindingId: 'inside', delivery: 'next', ...message }],
      ['turn/steer', { turnId, ...message }],
      ['turn/read', { turnId }],
      ['turn/interrupt', { turnId }],
      ['callback/answer', { callbackId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8', answer: { type: 'deny' } }],
      ['events/read', {}],
      ['blobs/read', { hash: 'h' }],
    ];
    for (const [method, params] of asked) {
      const elsewhere = await ask(bounded(), method, { sessionId, ...params });
      expect(elsewhere).toMatchObject(notFound);
      const missing = await ask(bounded(), method, { sessionId: 'none', ...params });
      expect(JSON.stringify(elsewhere).replaceAll(sessionId, 'none')).toBe(JSON.stringify(missing));
    }
    expect(await runtime.readSession({ sessionId })).not.toHaveProperty('title', 'mine');
  });

  test('a subscription to a session elsewhere ends as that of one that is not there', async () => {
    const { sessionId } = await runtime.createSession({ bindingId: 'outside' });
    const [near, far] = createMemoryChannel();
    await using served = serveRuntime(runtime, far, { trusted: true, principal: bounded() });
    const frames = near.frames[Symbol.asyncIterator]();
    for (const id of [sessionId, 'none']) {
      const params = { sessionId: id, subscriptionId: id };
      near.send({ jsonrpc: '2.0', id, method: 'events/subscribe', params });
      expect((await frames.next()).value).toMatchObject({ id, result: {} });
      expect((await frames.next()).value).toMatchObject({
        method: 'events/end',
        params: { subscriptionId: id, error: { code: 'session.not_found', message: `there is no session ${id}` } },
      });
    }
    served.close();
  });

  test('a list holds its own sessions only, page by page', async () => {
    const own: string[] = [];
    for (let each = 0; each < 12; each += 1) {
      const bindingId = each % 3 === 0 ? 'inside' : 'outside';
      const { sessionId } = await runtime.createSession({ bindingId });
      if (bindingId === 'inside') own.push(sessionId);
    }
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const params = { limit: 3, ...(next === undefined ? {} : { before: next }) };
      const frame = (await ask(bounded(), 'session/list', params)) as never as {
        result: { sessions: { id: string }[]; next?: string };
      };
      expect(frame.result.sessions.length).toBeLessThanOrEqual(3);
      seen.push(...frame.result.sessions.map(({ id }) => id));
      next = frame.result.next;
    } while (next !== undefined);
    expect(seen.sort()).toEqual(own.sort());
  });

  test('it starts nothing outside of its folders, and what is within them', async () => {
    expect(await ask(bounded(), 'session/create', { bindingId: 'outside' })).toMatchObject(
      denied({ bindingId: 'outside' }),
    );
    const { sessionId } = await runtime.createSession({ bindingId: 'inside' });
    const start = { sessionId, bindingId: 'outside', ...message };
    expect(await ask(bounded(), 'turn/start', start)).toMatchObject(denied({ bindingId: 'outside' }));
    expect(await ask(bounded(), 'session/create', { bindingId: 'inside' })).toHaveProperty('result.sessionId');
    expect(await ask(bounded(), 'turn/start', { ...start, bindingId: 'inside' })).toHaveProperty('result.turnId');
  });

  test('a key that made a session elsewhere gives neither it nor its ID', async () => {
    const params = { idempotencyKey: 'k' };
    const { sessionId } = await runtime.createSession({ bindingId: 'outside', ...params });
    const refused = await ask(bounded(), 'session/create', { bindingId: 'inside', ...params });
    expect(refused).toMatchObject({ error: { data: { code: 'session.idempotency_conflict' } } });
    expect(JSON.stringify(refused)).not.toContain(sessionId);
    const own = { bindingId: 'inside', idempotencyKey: 'own' };
    const made = await ask(bounded(), 'session/create', own);
    expect(made).toHaveProperty('result.sessionId');
    expect(await ask(bounded(), 'session/create', own)).toEqual(made);
  });

  const below = (highestMode: PermissionMode) => bounded({ highestMode });

  test('its highest mode bounds the mode that it sets and the bindings that it uses', async () => {
    const { sessionId } = await runtime.createSession({ bindingId: 'inside' });
    const set = (permissionMode: string) => ({ sessionId, permissionMode });
    const details = { mode: 'acceptEdits', highestMode: 'default' };
    expect(await ask(below('default'), 'session/update', set('acceptEdits'))).toMatchObject(denied(details));
    expect(await ask(below('default'), 'session/create', { bindingId: 'wild' })).toMatchObject(denied(details));
    expect(await ask(below('default'), 'session/update', set('plan'))).toHaveProperty('result');
    expect(await ask(below('acceptEdits'), 'session/update', set('acceptEdits'))).toHaveProperty('result');
    expect(await ask(below('acceptEdits'), 'session/create', { bindingId: 'wild' })).toHaveProperty('result');
  });

  test('its highest mode bounds a session that somebody else has put in a farther one', async () => {
    const { sessionId } = await runtime.createSession({ bindingId: 'inside' });
    await runtime.updateSession({ sessionId, permissionMode: 'acceptEdits' });
    const turn = { sessionId, bindingId: 'inside', ...message };
    const details = { mode: 'acceptEdits', highestMode: 'default' };
    const asked: [string, object][] = [
      ['turn/start', turn],
      ['turn/send', { ...turn, delivery: 'next' }],
      ['turn/steer', { sessionId, turnId: 't', ...message }],
      ['session/open', { sessionId, bindingId: 'inside', unfinished: 'continue' }],
      ['callback/answer', { sessionId, callbackId: crypto.randomUUID(), answer: { type: 'allow' } }],
    ];
    for (const [method, params] of asked)
      expect(await ask(below('default'), method, params), method).toMatchObject(denied(details));
    expect(await ask(below('default'), 'session/read', { sessionId })).toHaveProperty('result');
    expect(await ask(below('default'), 'session/update', { sessionId, permissionMode: 'plan' })).toHaveProperty(
      'result',
    );
    expect(await ask(below('default'), 'turn/start', turn)).toHaveProperty('result');
  });

  const destination = 'session';
  const rules = [{ toolName: 'Bash' }];
  const updates: [string, object, object | undefined][] = [
    ['a mode beyond', { type: 'setMode', mode: 'bypassPermissions', destination }, { mode: 'bypassPermissions' }],
    ['a mode within', { type: 'setMode', mode: 'plan', destination }, undefined],
    ['an allow rule', { type: 'addRules', behavior: 'allow', rules, destination }, { update: 'addRules' }],
    ['a deny rule', { type: 'addRules', behavior: 'deny', rules, destination }, undefined],
    ['rules taken away', { type: 'removeRules', behavior: 'deny', rules, destination }, { update: 'removeRules' }],
    ['rules replaced', { type: 'replaceRules', behavior: 'ask', rules, destination }, { update: 'replaceRules' }],
    ['another folder', { type: 'addDirectories', directories: ['/'], destination }, { update: 'addDirectories' }],
    [
      'what outlasts the session',
      { type: 'setMode', mode: 'plan', destination: 'userSettings' },
      { destination: 'userSettings' },
    ],
  ];
  test.each(updates)('with a highest mode, %s in an answer', async (_what, update, details) => {
    const { sessionId } = await runtime.createSession({ bindingId: 'inside' });
    const answer = { type: 'allow', scope: 'once', updatedPermissions: [update] };
    const params = { sessionId, callbackId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8', answer };
    const frame = await ask(below('default'), 'callback/answer', params);
    if (details === undefined) expect(frame).toMatchObject({ result: { type: 'notFound' } });
    else expect(frame).toMatchObject(denied(details));
  });

  test('with folders alone, an answer opens no folder outside of them', async () => {
    const { sessionId } = await runtime.createSession({ bindingId: 'inside' });
    const answerWith = (directory: string) => ({
      sessionId,
      callbackId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
      answer: {
        type: 'allow',
        scope: 'once',
        updatedPermissions: [{ type: 'addDirectories', directories: [directory], destination }],
      },
    });
    expect(await ask(bounded(), 'callback/answer', answerWith('/etc'))).toMatchObject(denied({ directory: '/etc' }));
    expect(await ask(bounded(), 'callback/answer', answerWith(`${inside.folder}/sub`))).toHaveProperty('result');
  });
});

test.each([
  ['/work', true],
  ['/work/a/b', true],
  ['/working', false],
  ['/', false],
  ['/work/../etc', false],
  ['C:\\work\\a', true],
  ['C:\\workshop', false],
])('whether %s is in /work or C:\\work', (path, expected) => {
  expect(isInFolder(path, ['/work/', 'C:\\work'])).toBe(expected);
});

test('the root of all holds everything', () => {
  expect(isInFolder('/etc', ['/'])).toBe(true);
});
