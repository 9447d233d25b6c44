import type { AnyEvent, MethodParams, StreamEvent, TurnRecord } from '@rondo/protocol';
import { createRuntime, type RuntimeOptions } from '../create-runtime.ts';
import type { EventStore } from '../event/event-store.ts';
import { createMemoryStore } from '../event/memory-store.ts';
import type { Model } from '../model/model.ts';
import { compilePolicy } from '../permission/compile-policy.ts';
import type { Runtime } from '../runtime.ts';
import type { Tool } from '../tool/tool.ts';
import type { Binding } from '../turn/binding.ts';
import { refusingSandbox, sha256 } from './temporary-binding.ts';

export interface SceneOptions extends Partial<Omit<RuntimeOptions, 'store' | 'sha256'>> {
  readonly model: Model;
  readonly tools?: readonly Tool[];
  /** Names of tools that run unasked; all of them unless said. */
  readonly allowed?: readonly string[];
  readonly binding?: Partial<Binding>;
  readonly store?: EventStore;
  /** What a new session begins with. */
  readonly session?: Omit<MethodParams<'session/create'>, 'bindingId'>;
}

/** A runtime over a store in memory, with a session that belongs to nobody else. */
export interface Scene {
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly binding: Binding;
  readonly bindingId: string;
  readonly sessionId: string;
  /** @throws Error when another turn is at work. */
  start(text: string, options?: Partial<MethodParams<'turn/start'>>): Promise<string>;
  send(
    text: string,
    options?: Partial<MethodParams<'turn/send'>>,
  ): Promise<Awaited<ReturnType<Runtime['sendMessage']>>>;
  /** The turn's record once its end has been shown. */
  ended(turnId: string): Promise<TurnRecord>;
  run(text: string): Promise<TurnRecord>;
  /** The next event that fits, from the session's start or after a cursor. */
  until(fits: (event: StreamEvent) => boolean, options?: { deltas?: boolean; after?: string }): Promise<StreamEvent>;
  /** What the log holds. */
  events(): Promise<AnyEvent[]>;
}

export function sceneBinding(options: SceneOptions): Binding {
  const { model, tools = [], allowed = tools.map(({ name }) => name) } = options;
  return {
    agent: { name: 'test', fingerprint: 'f1' },
    cwd: '/work',
    model,
    system: 'You are being tested.',
    tools,
    policy: compilePolicy({ directories: ['/work'], allowedTools: allowed, tools }),
    unattended: 'wait',
    sandbox: refusingSandbox,
    env: {},
    retry: { baseDelayMs: 0, maxDelayMs: 0, jitter: 0, maxRetries: 2 },
    ...options.binding,
  };
}

/** @param sessionId of a session that the store has; absent makes a new one. */
export async function sessionScene(options: SceneOptions, sessionId?: string): Promise<Scene> {
  const { store = createMemoryStore(), ...rest } = options;
  const { clock, newId, random } = rest;
  const runtime = createRuntime({
    store,
    sha256,
    ...(clock === undefined ? {} : { clock }),
    ...(newId === undefined ? {} : { newId }),
    ...(random === undefined ? {} : { random }),
  });
  const binding = sceneBinding(options);
  const bindingId = runtime.bind(binding);
  const id = sessionId ?? (await runtime.createSession({ bindingId, ...options.session })).sessionId;
  const message = (text: string) => ({ sessionId: id, bindingId, content: [{ type: 'text' as const, text }] });

  async function start(text: string, given: Partial<MethodParams<'turn/start'>> = {}): Promise<string> {
    const outcome = await runtime.startTurn({ ...message(text), ...given });
    if (outcome.type !== 'started') throw new Error(`turn ${outcome.turnId} is at work`);
    return outcome.turnId;
  }

  async function until(
    fits: (event: StreamEvent) => boolean,
    given: { deltas?: boolean; after?: string } = {},
  ): Promise<StreamEvent> {
    const { signal } = new AbortController();
    for await (const batch of runtime.subscribe(id, { signal, ...given })) {
      const found = batch.find(fits);
      if (found !== undefined) return found;
    }
    throw new Error('the subscription ended');
  }

  async function ended(turnId: string): Promise<TurnRecord> {
    await until((event) => event.type === 'turn.ended' && event.turnId === turnId);
    return await runtime.readTurn({ sessionId: id, turnId });
  }

  return {
    store,
    runtime,
    binding,
    bindingId,
    sessionId: id,
    start,
    send: (text, given = {}) => runtime.sendMessage({ ...message(text), delivery: 'join', ...given }),
    ended,
    run: async (text) => await ended(await start(text)),
    until,
    events: () => storedEvents(store, id),
  };
}

export async function storedEvents(store: EventStore, sessionId: string): Promise<AnyEvent[]> {
  const events: AnyEvent[] = [];
  for await (const event of store.read(sessionId)) events.push(event);
  return events;
}

/** A store as the next process finds it after this one was killed: what was written by now, without an owner. */
export async function storeAfterCrash(
  store: EventStore,
  sessionId: string,
  keep: (event: AnyEvent) => boolean = () => true,
): Promise<EventStore> {
  const copy = createMemoryStore();
  const log = await copy.create(sessionId);
  for (const event of await storedEvents(store, sessionId)) {
    if (event.type === 'unknown' || !keep(event)) continue;
    await log.append([{ event, json: JSON.stringify(event) }]);
  }
  await log.release();
  return copy;
}
