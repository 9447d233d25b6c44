import type { AnyEvent, ContentBlock, JsonObject, OpenApproval } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { expect, test } from 'vitest';
import { checkConversation, describeProblems } from '../context/check-conversation.ts';
import { applyEvent } from '../event/apply-event.ts';
import type { EventStore } from '../event/event-store.ts';
import { createMemoryStore } from '../event/memory-store.ts';
import { emptySessionState, type SessionState } from '../event/session-state.ts';
import { treeOf } from '../event/tree-state.ts';
import {
  type Ask,
  ask,
  type Continue,
  continueWith,
  type Reject,
  reject,
  type Retry,
  retry,
  type Skip,
  skip,
} from '../hook/hook-decision.ts';
import type { HookContext, LoopHook } from '../hook/loop-hook.ts';
import type { Model, ModelPart, ModelRequest } from '../model/model.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { sessionScene, storeAfterCrash, storedEvents, type Scene } from '../testing/session-scene.ts';
import type { Tool } from '../tool/tool.ts';
import { recordOfTurn, sessionInfoOf } from './turn-reading.ts';

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const effects = ['none', 'idempotent', 'reconcile', 'once'] as const;

/** One process: when it has died, nothing of it does anything any more. */
interface Life {
  alive: boolean;
  readonly followed: AbortController;
}

interface World {
  readonly random: () => number;
  /** The tool whose calls somebody has to allow. */
  readonly asking: 'once' | 'idempotent';
  /** A hook judges its calls, replies and turns. */
  readonly hooked: boolean;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  /** How often each call of a `once` tool was run, over all lives. */
  readonly runs: Map<string, number>;
  /** IDs of messages that were accepted. */
  readonly accepted: Set<string>;
  readonly problems: string[];
  /** What a follower was shown, who takes up where it was whenever it is cut off. */
  readonly shown: number[];
  sent: number;
}

const never = (): Promise<never> => new Promise(() => {});

async function pause(world: World): Promise<void> {
  const hops = Math.floor(world.random() * 6);
  for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
  if (world.random() < 0.3) await new Promise(setImmediate);
}

function toolsOf(world: World, life: Life): Tool[] {
  return effects
    .map((effect) =>
      recordingTool({
        name: effect,
        effect,
        ...(effect === 'reconcile'
          ? {
              prepare: () => Promise.resolve(null),
              reconcile: () =>
                Promise.resolve(
                  world.pick([{ outcome: 'not_done' }, { outcome: 'unknown', reason: 'Nobody knows.' }] as const),
                ),
            }
          : {}),
      }),
    )
    .map((tool) => {
      const run: Tool['run'] = async (input, context) => {
        if (!life.alive) return await never();
        if (tool.name === 'once') {
          const key = `${context.sessionId}/${context.callId}`;
          world.runs.set(key, (world.runs.get(key) ?? 0) + 1);
        }
        for (let count = world.random() < 0.5 ? 4 : 0; count > 0; count -= 1) await pause(world);
        if (world.random() < 0.1) throw new Error('the tool has no luck today');
        return { content: `ran ${JSON.stringify(input)}` };
      };
      return Object.create(tool, { run: { value: run } }) as Tool;
    });
}

function randomModel(world: World, life: Life): Model {
  let calls = 0;
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    if (!life.alive) await never();
    const problems = checkConversation(request.messages, { model: 'random' });
    if (problems.length > 0) world.problems.push(describeProblems(problems));
    await pause(world);
    if (world.random() < 0.1) throw new RondoError('model.overloaded', 'too much to do');
    yield { type: 'start', model: 'random' };
    let index = 0;
    if (world.random() < 0.7) {
      const text = `words ${world.random()}`;
      yield { type: 'block-start', index, block: 'text' };
      yield { type: 'delta', index, text };
      await pause(world);
      if (signal.aborted && world.random() < 0.5) throw signal.reason;
      if (world.random() < 0.08) throw new RondoError('model.stream_broken', 'cut');
      yield { type: 'block-end', index, block: { type: 'text', text } };
      index += 1;
    }
    const wanted = world.random() < 0.5 ? 1 + Math.floor(world.random() * 3) : 0;
    for (let count = 0; count < wanted; count += 1) {
      calls += 1;
      const name = world.pick([...effects, 'nothing']);
      const input: JsonObject = { n: calls };
      const toolCallId = world.random() < 0.2 ? 'call-1' : `call-${calls}`;
      yield { type: 'block-start', index, block: 'tool_call', toolCallId, name };
      yield { type: 'delta', index, text: JSON.stringify(input) };
      yield { type: 'block-end', index, block: { type: 'tool_call', toolCallId, name, input } };
      index += 1;
    }
    await pause(world);
    const usage = { inputTokens: 1, outputTokens: 1 };
    yield { type: 'end', stopReason: wanted > 0 ? 'tool_use' : 'end_turn', usage };
  }
  return { name: 'random', stream: (request, { signal }) => stream(request, signal) };
}

/** Judges everything, seldom badly, and keeps how often it did. */
function randomHook(world: World, life: Life): LoopHook {
  const judge = async <Decision>(context: HookContext, decisions: readonly (() => Decision)[]) => {
    for (let count = 0; count < 2; count += 1) {
      if (!life.alive) await never();
      await pause(world);
    }
    context.keep({ type: 'runs', value: ((context.state?.value ?? 0) as number) + 1 });
    return world.random() < 0.8 ? undefined : world.pick(decisions)();
  };
  const fail = (): never => {
    throw new Error('the hook has no luck today');
  };
  return {
    name: 'random',
    preAgentTurn: (context) =>
      judge<Continue | Skip>(context, [() => continueWith({ userContent: 'masked' }), () => skip('no'), fail]),
    preLlmCall: (context) => judge<Continue | Skip>(context, [() => continueWith(), () => skip('no')]),
    postLlmCall: (context) => judge<Retry | Reject>(context, [() => retry('again'), () => reject('no'), fail]),
    preToolCall: (context, { arguments: args }) =>
      judge<Continue | Skip | Ask>(context, [
        () => continueWith({ arguments: { ...args, rewritten: true } }),
        () => skip('no'),
        () => ask('may it?'),
        fail,
      ]),
    postToolCall: (context) => judge<Continue>(context, [() => continueWith({ result: 'cooked' }), fail]),
    postAgentTurn: (context) => judge<Continue>(context, [() => continueWith({ text: 'a better one' }), fail]),
  };
}

/** A process over a store: its own runtime, tools and model. Some tools ask, some appends are slow or fail. */
async function live(world: World, store: EventStore, sessionId?: string, mayFail = false) {
  const life: Life = { alive: true, followed: new AbortController() };
  const slow = interceptAppends(store, async () => {
    await pause(world);
    if (!life.alive) await never();
    if (mayFail && world.random() < 0.02) throw new Error('no space left');
  });
  const scene = await sessionScene(
    {
      model: randomModel(world, life),
      tools: toolsOf(world, life),
      allowed: ['none', world.asking === 'once' ? 'idempotent' : 'once', 'reconcile'],
      store: slow,
      binding: { limits: { maxTurns: 6 }, ...(world.hooked ? { hooks: [randomHook(world, life)] } : {}) },
    },
    sessionId,
  );
  return { life, scene };
}

function kill(life: Life): void {
  life.alive = false;
  life.followed.abort();
}

/** Follows the session for the life of a process, again after each failure. */
async function follow(world: World, { life, scene }: Process): Promise<void> {
  const { signal } = life.followed;
  while (!signal.aborted) {
    await new Promise(setImmediate);
    const last = world.shown.at(-1);
    const after = last === undefined ? {} : { after: `${scene.sessionId}:${last}` };
    const batches = scene.runtime.subscribe(scene.sessionId, {
      signal,
      deltas: world.shown.length % 2 === 0,
      ...after,
    });
    await allowFailure(
      (async () => {
        for await (const batch of batches) {
          if (signal.aborted) return;
          for (const event of batch) if ('seq' in event) world.shown.push(event.seq);
        }
      })(),
    );
  }
}

type Process = Awaited<ReturnType<typeof live>>;

/** What a caller may be told without anything being wrong. */
const expected = ['session.write_failed', 'session.busy', 'channel.closed', 'turn.not_found', 'session.in_use'];

async function allowFailure<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (expected.some((code) => isRondoError(error, code as 'session.busy'))) return undefined;
    throw error;
  }
}

async function openQuestions(scene: Scene): Promise<OpenApproval[]> {
  const info = await scene.runtime.readSession({ sessionId: scene.sessionId });
  if (info.activeTurnId === undefined) return [];
  const record = await scene.runtime.readTurn({ sessionId: scene.sessionId, turnId: info.activeTurnId });
  if (record.type !== 'blocked') return [];
  return record.callbacks.filter((callback) => callback.type === 'approval');
}

async function step(world: World, { life, scene }: Process): Promise<void> {
  const { runtime, sessionId } = scene;
  const messageId = `m${(world.sent += 1)}`;
  const accept = (outcome: { type: string; messageId?: string } | undefined): void => {
    if (outcome?.messageId !== undefined && life.alive) world.accepted.add(outcome.messageId);
  };
  const roll = world.random();
  if (roll < 0.25) {
    const content = [{ type: 'text' as const, text: messageId }];
    accept(await allowFailure(runtime.startTurn({ sessionId, bindingId: scene.bindingId, content, messageId })));
  } else if (roll < 0.5) {
    const delivery = world.pick(['join', 'next', 'later'] as const);
    const idempotencyKey = `k${messageId}`;
    const keyed = { messageId, idempotencyKey };
    const send = () => allowFailure(scene.send(messageId, { delivery, ...keyed }));
    accept(await send());
    if (world.random() < 0.3) accept(await send());
    if (world.random() < 0.2) {
      const content = [{ type: 'text' as const, text: messageId }];
      accept(await allowFailure(runtime.startTurn({ sessionId, bindingId: scene.bindingId, content, ...keyed })));
    }
  } else if (roll < 0.65) {
    const info = await allowFailure(runtime.readSession({ sessionId }));
    if (info?.activeTurnId !== undefined)
      await allowFailure(runtime.interruptTurn({ sessionId, turnId: info.activeTurnId }));
  } else {
    for (const { id } of (await allowFailure(openQuestions(scene))) ?? []) {
      const answer = world.random() < 0.6 ? ({ type: 'allow', scope: 'once' } as const) : ({ type: 'deny' } as const);
      await allowFailure(runtime.answerCallback({ sessionId, callbackId: id, answer }));
    }
  }
}

/** Lets everything end, however often the session has to be opened for it. */
async function quiesce(world: World, { scene }: Process): Promise<void> {
  const { runtime, sessionId, bindingId } = scene;
  let rested = { cursor: '', rounds: 0 };
  for (let round = 0; round < 300; round += 1) {
    await new Promise(setImmediate);
    const opened = await allowFailure(runtime.openSession({ sessionId, bindingId, unfinished: 'continue' }));
    const info = await allowFailure(runtime.readSession({ sessionId }));
    if (opened === undefined || info === undefined) continue;
    if (info.activeTurnId === undefined) {
      rested = { cursor: info.cursor, rounds: rested.cursor === info.cursor ? rested.rounds + 1 : 0 };
      if (rested.rounds > 8) return;
      continue;
    }
    for (const { id } of (await allowFailure(openQuestions(scene))) ?? [])
      await allowFailure(runtime.answerCallback({ sessionId, callbackId: id, answer: { type: 'deny' } }));
    if (round > 100) await allowFailure(runtime.interruptTurn({ sessionId, turnId: info.activeTurnId }));
  }
  throw new Error(`session ${sessionId} does not come to rest: ${world.sent} messages`);
}

function folded(sessionId: string, events: readonly AnyEvent[]): SessionState {
  const state = emptySessionState(sessionId);
  for (const event of events) applyEvent(state, event);
  return state;
}

/** What a hook has put in the place of messages. */
function isMasked([only]: readonly ContentBlock[]): boolean {
  return only?.type === 'text' && only.text === 'masked';
}

async function checkSession(world: World, scene: Scene, store: EventStore, sessionId: string): Promise<void> {
  const events = await storedEvents(store, sessionId);
  // What was said goes into a fork whole.
  const isFork = sessionId !== scene.sessionId;
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const requested = new Map<string, string>();
  const completed = new Map<string, number>();
  const openTurns = new Set<string>();
  const openCallbacks = new Map<string, string>();
  const openEntries = new Set<string>();
  const said = new Map<string, number>();
  const judged = new Set<string>();
  let kept = 0;
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
        expect(openTurns.size).toBe(0);
        openTurns.add(event.turnId);
        break;
      case 'turn.ended':
        expect(openTurns.delete(event.turnId)).toBe(true);
        expect([...openCallbacks.values()]).not.toContain(event.turnId);
        expect([...openEntries]).toEqual([]);
        for (const [callId, turnId] of requested)
          if (turnId === event.turnId) expect([callId, completed.get(callId)]).toEqual([callId, 1]);
        break;
      case 'entry.added':
        openEntries.add(event.entry.type === 'assistant' ? event.entry.id : '');
        break;
      case 'entry.discarded':
        // A hook takes whole entries back too.
        expect(openEntries.delete(event.entryId) || isFork || event.reason.startsWith('hook_')).toBe(true);
        break;
      case 'entry.completed':
        expect([...openTurns]).toContain(event.turnId);
        if (event.entry.type === 'assistant') expect(openEntries.delete(event.entry.id) || isFork).toBe(true);
        if (event.entry.type === 'message' && event.entry.messageId !== undefined && !isMasked(event.entry.content))
          said.set(event.entry.messageId, (said.get(event.entry.messageId) ?? 0) + 1);
        break;
      case 'tool.requested':
        expect(requested.has(event.callId)).toBe(false);
        requested.set(event.callId, event.turnId);
        break;
      case 'tool.completed':
        expect([...openTurns]).toContain(event.turnId);
        completed.set(event.callId, (completed.get(event.callId) ?? 0) + 1);
        break;
      case 'tool.started':
        if (world.hooked) expect([...judged]).toContain(`preToolCall/${event.callId}/random`);
        break;
      case 'hook.completed':
        if (event.outcome['type'] === 'interrupted') break;
        expect(judged.has(event.hookId) && !event.hookId.startsWith('postToolCall/')).toBe(false);
        judged.add(event.hookId);
        // What a failed run kept does not count.
        if (event.state !== undefined) expect(event.state?.value).toBe((kept += 1));
        break;
      case 'callback.opened':
        openCallbacks.set(event.callback.type === 'unknown' ? '' : event.callback.id, event.turnId);
        break;
      case 'callback.resolved':
        expect(openCallbacks.delete(event.callbackId)).toBe(true);
        break;
      default:
        break;
    }
  }
  for (const count of said.values()) expect(count).toBe(1);
  const state = folded(sessionId, events);
  expect(await scene.runtime.readSession({ sessionId })).toEqual(sessionInfoOf(state));
  for (const turnId of state.turns.keys()) {
    const record = await recordOfTurn(treeOf([state], state.seq), state, turnId, (after) =>
      store.read(sessionId, { after }),
    );
    expect(await scene.runtime.readTurn({ sessionId, turnId })).toEqual(record);
  }
  if (isFork) return;
  const waiting = new Set(state.queue.map((message) => message.messageId));
  for (const messageId of world.accepted) expect(said.has(messageId) || waiting.has(messageId)).toBe(true);
}

async function playSession(seed: number, { steps = 25, mayFail = false } = {}): Promise<void> {
  const random = seededRandom(seed);
  const world: World = {
    random,
    asking: seed % 2 === 0 ? 'once' : 'idempotent',
    hooked: seed % 4 > 1,
    pick: (values) => values[Math.floor(random() * values.length)] as (typeof values)[number],
    runs: new Map(),
    accepted: new Set(),
    problems: [],
    shown: [],
    sent: 0,
  };
  let store: EventStore = createMemoryStore();
  let process = await live(world, store);
  const { sessionId } = process.scene;
  let following = follow(world, process);
  /** What the process of now is doing; what a dead one was doing is never done. */
  let doing: Promise<void>[] = [];
  const renew = async (unfinished: 'settle' | 'continue'): Promise<void> => {
    doing = [];
    process = await live(world, store, sessionId, mayFail);
    following = follow(world, process);
    const { runtime, bindingId } = process.scene;
    await allowFailure(runtime.openSession({ sessionId, bindingId, unfinished }));
  };
  for (let count = 0; count < steps; count += 1) {
    await pause(world);
    if (random() < 0.12) {
      kill(process.life);
      store = await storeAfterCrash(store, sessionId);
      await renew(world.pick(['settle', 'continue'] as const));
    } else if (random() < 0.06) {
      await process.scene.runtime.close();
      await Promise.all(doing);
      kill(process.life);
      await renew(world.pick(['settle', 'continue'] as const));
    } else if (random() < 0.05) {
      const { runtime, bindingId } = process.scene;
      const fork = await allowFailure(runtime.forkSession({ sessionId, bindingId }));
      if (fork !== undefined) await checkSession(world, process.scene, store, fork.sessionId);
    } else if (random() < 0.5) {
      doing.push(step(world, process));
    } else await step(world, process);
  }
  await Promise.all(doing);
  await quiesce(world, process);
  await checkSession(world, process.scene, store, sessionId);
  const length = (await storedEvents(store, sessionId)).length;
  while (world.shown.length < length) await new Promise(setImmediate);
  expect(world.shown).toEqual(Array.from({ length }, (_, index) => index + 1));
  process.life.followed.abort();
  await following;
  expect(world.problems).toEqual([]);
  for (const [callId, runs] of world.runs) expect([callId, runs]).toEqual([callId, 1]);
  await process.scene.runtime.close();
}

test.each(Array.from({ length: 40 }, (_, index) => index + 1))(
  'whatever is done to a session in whatever order, it stays whole (seed %i)',
  async (seed) => playSession(seed),
);

test.each(Array.from({ length: 20 }, (_, index) => index + 1001))(
  'also on a disk that fails now and then (seed %i)',
  async (seed) => playSession(seed, { mayFail: true }),
);
