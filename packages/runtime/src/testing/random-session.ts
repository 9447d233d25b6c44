import type { CallbackAnswer, KnownOpenCallback, MethodParams, TurnLimits } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { EventStore } from '../event/event-store.ts';
import { createMemoryStore } from '../event/memory-store.ts';
import { SPAWN_TOOL } from '../session/spawn-tool.ts';
import { interceptAppends } from './intercept-appends.ts';
import { type Life, never, pause, randomHook, randomModel, seededRandom, toolsOf, type World } from './random-world.ts';
import { sessionScene, storeAfterCrash, storedEvents, type Scene } from './session-scene.ts';
import { agentOf } from './tree-scene.ts';

/** A process over a store: its own runtime, tools and model. Some tools ask, some appends are slow or fail. */
async function live(world: World, store: EventStore, sessionId?: string, mayFail = false) {
  const life: Life = { alive: true, followed: new AbortController() };
  const slow = interceptAppends(store, async () => {
    await pause(world);
    if (!life.alive) await never();
    if (mayFail && world.random() < 0.02) throw new Error('no space left');
  });
  const tools = toolsOf(world, life);
  const asking = world.asking === 'once' ? ['once', 'client_none'] : ['idempotent', 'client_idempotent'];
  const scene = await sessionScene(
    {
      model: randomModel(world, life),
      tools,
      allowed: [...tools.map(({ name }) => name), SPAWN_TOOL].filter((name) => !asking.includes(name)),
      store: slow,
      binding: {
        limits: limitsOf(world),
        ...(world.hooked ? { hooks: [randomHook(world, life)] } : {}),
        ...(world.isWide ? { subagents: [agentOf({ name: 'helper', model: randomModel(world, life) })] } : {}),
      },
      ...(world.isWide ? { session: { inputs: { place: 'here' }, history } } : {}),
    },
    sessionId,
  );
  return { life, scene };
}

const limitsOf = (world: World): TurnLimits =>
  world.isWide
    ? { maxTurns: 4, ...world.pick([{}, {}, { maxBudgetUsd: 0.003 }, { maxDurationMs: 4 }] as const) }
    : { maxTurns: 6 };

const history: MethodParams<'session/create'>['history'] = [
  { type: 'message', role: 'user', content: [{ type: 'text', text: 'what was it?' }] },
  { type: 'tool_call', toolCallId: 'long-ago', toolKind: 'local', name: 'none', arguments: { n: 0 } },
  { type: 'tool_result', toolCallId: 'long-ago', result: 'ran' },
  { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'it was this' }] },
];

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
          for (const event of batch)
            if ('seq' in event && event.sessionId === scene.sessionId) world.shown.push(event.seq);
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

async function openQuestions(scene: Scene): Promise<KnownOpenCallback[]> {
  const info = await scene.runtime.readSession({ sessionId: scene.sessionId });
  if (info.activeTurnId === undefined) return [];
  const record = await scene.runtime.readTurn({ sessionId: scene.sessionId, turnId: info.activeTurnId });
  if (record.type !== 'blocked') return [];
  return record.callbacks.filter((callback) => callback.type !== 'unknown');
}

async function answerQuestion({ runtime }: Scene, question: KnownOpenCallback, isKind: boolean): Promise<void> {
  const { sessionId, id } = question;
  await runtime.answerCallback({ sessionId, callbackId: id, answer: answerTo(question, isKind) });
}

function answerTo(question: KnownOpenCallback, isKind: boolean): CallbackAnswer {
  switch (question.type) {
    case 'approval':
      return isKind ? { type: 'allow', scope: 'once' } : { type: 'deny' };
    case 'client_tool':
      return { type: 'tool_result', ...(isKind ? { result: { is: 'so' } } : { error: 'not now' }) };
    case 'sign_in': {
      const sources = question.requests.map(({ sourceId }) => sourceId);
      return { type: 'sign_in', connected: isKind ? sources : [], denied: isKind ? [] : sources };
    }
  }
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
    for (const question of (await allowFailure(openQuestions(scene))) ?? [])
      await allowFailure(answerQuestion(scene, question, world.random() < 0.6));
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
    for (const question of (await allowFailure(openQuestions(scene))) ?? [])
      await allowFailure(answerQuestion(scene, question, false));
    if (round > 100) await allowFailure(runtime.interruptTurn({ sessionId, turnId: info.activeTurnId }));
  }
  throw new Error(`session ${sessionId} does not come to rest: ${world.sent} messages`);
}

export interface RandomSessionOptions {
  readonly steps?: number;
  /** Whether appends fail now and then. */
  readonly mayFail?: boolean;
  /** Whether there are subagents, tools that ask and the rest of it too. */
  readonly isWide?: boolean;
  /** Told of each fork when it has been made. */
  readonly onFork?: (session: RandomSession, forkId: string) => Promise<void>;
}

/** A session to which anything was done in whatever order, and that has come to rest. */
export interface RandomSession {
  readonly world: World;
  /** Of the process that has it now. */
  readonly scene: Scene;
  readonly store: EventStore;
}

/** Does what the seed says to a session: messages, answers, interrupts, forks, ends and deaths of its process. */
export async function playRandomSession(
  seed: number,
  { steps = 25, mayFail = false, isWide = false, onFork }: RandomSessionOptions = {},
): Promise<RandomSession> {
  const random = seededRandom(seed);
  const world: World = {
    random,
    asking: seed % 2 === 0 ? 'once' : 'idempotent',
    hooked: seed % 4 > 1,
    isWide,
    pick: (values) => values[Math.floor(random() * values.length)] as (typeof values)[number],
    runs: new Map(),
    accepted: new Set(),
    problems: [],
    shown: [],
    decided: new Map(),
    isJudged: false,
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
      if (fork !== undefined) await onFork?.({ world, scene: process.scene, store }, fork.sessionId);
    } else if (random() < 0.5) {
      doing.push(step(world, process));
    } else await step(world, process);
  }
  await Promise.all(doing);
  await quiesce(world, process);
  const stored = await storedEvents(store, sessionId);
  const { length } = stored.filter((event) => event.sessionId === sessionId);
  while (world.shown.length < length) await new Promise(setImmediate);
  process.life.followed.abort();
  await following;
  return { world, scene: process.scene, store };
}
