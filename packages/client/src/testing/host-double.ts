import {
  type AnyEvent,
  createMemoryChannel,
  createSerializingChannel,
  type Frame,
  isRondoError,
  type OpenCallback,
  RondoError,
  type StreamEvent,
  type TurnRecord,
} from '@rondo/protocol';
import { type ConnectOptions, connect, type HandleOptions, type TurnState } from '../index.ts';

export const SESSION = 's';
export const CALLBACK = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';
export const OTHER = '6ba7b811-9dad-41d1-80b4-00c04fd430c8';

export type Params = Record<string, unknown>;
export type Answer = (params: Params) => unknown;

/**
 * A host of one session, which a test leads: it appends events and says what records are. What arrives is recorded.
 * Rejections answer with their error frame, undefined does not answer at all.
 */
export function hostDouble(
  answers: Record<string, Answer> = {},
  options: ConnectOptions = { trusted: true },
  handle: HandleOptions = {},
) {
  const [near, far] = options.trusted === true ? createMemoryChannel() : createSerializingChannel();
  const events: AnyEvent[] = [];
  const open = new Map<string, { sent: number }>();
  const requests: { method: string; params: Params }[] = [];
  const records = new Map<string, TurnRecord>();

  const own: Record<string, Answer> = {
    'host/initialize': () => ({ protocolVersion: 1, host: 'double' }),
    'turn/start': () => ({ type: 'started', turnId: 't1', started: true, messageId: 'm1' }),
    'turn/read': ({ turnId }) =>
      records.get(String(turnId)) ?? Promise.reject(new RondoError('turn.not_found', 'no such turn')),
    'session/read': () => ({ status: 'running' }),
    'events/subscribe': ({ subscriptionId, after }) => {
      open.set(String(subscriptionId), { sent: typeof after === 'string' ? Number(after.split(':')[1]) : 0 });
      return { subscriptionId };
    },
    'events/unsubscribe': ({ subscriptionId }) => {
      open.delete(String(subscriptionId));
      return {};
    },
    ...answers,
  };

  /** Returns how many events it sent. */
  function flush(): number {
    let sent = 0;
    for (const [subscriptionId, place] of open) {
      const batch = events.filter(({ seq }) => seq > place.sent);
      if (batch.length === 0) continue;
      place.sent = events.length;
      sent += batch.length;
      notify('events/item', { subscriptionId, events: batch });
    }
    return sent;
  }

  function notify(method: string, params: Params): void {
    far.send({ jsonrpc: '2.0', method, params } as Frame);
  }

  async function answer(frame: Frame & { id: string | number; method: string }): Promise<void> {
    const params = ('params' in frame ? frame.params : {}) as Params;
    requests.push({ method: frame.method, params });
    try {
      const result = await own[frame.method]?.(params);
      if (result !== undefined) far.send({ jsonrpc: '2.0', id: frame.id, result } as Frame);
      flush();
    } catch (error) {
      if (!isRondoError(error)) throw error;
      const data = { ...error.toJSON() };
      far.send({ jsonrpc: '2.0', id: frame.id, error: { code: -32000, message: error.message, data } } as Frame);
    }
  }

  async function serve(): Promise<void> {
    for await (const frame of far.frames) {
      if ('method' in frame && 'id' in frame) void answer(frame as Frame & { id: number; method: string });
    }
  }
  void serve();

  const client = connect(near, options);
  return {
    client,
    near,
    far,
    requests,
    records,
    methods: () => requests.map(({ method }) => method),
    session: client.session(SESSION, { ...handle, bindingId: 'b' }),
    notify,
    /** Appends events in one batch. Returns how many were sent to subscribers. */
    emit(...added: Partial<AnyEvent>[]) {
      for (const event of added) {
        const seq = events.length + 1;
        events.push({ seq, id: `s:${seq}`, at: 't', sessionId: SESSION, ...event } as AnyEvent);
      }
      return flush();
    },
    /** Pushes transients to whoever subscribed. */
    show(...transients: StreamEvent[]) {
      for (const subscriptionId of open.keys()) notify('events/item', { subscriptionId, events: transients });
    },
    endStreams(error?: unknown) {
      for (const subscriptionId of open.keys()) notify('events/end', { subscriptionId, ...(error ? { error } : {}) });
      open.clear();
    },
  };
}

export const running = (turnId: string, cursor: string): TurnRecord => ({
  type: 'running',
  sessionId: SESSION,
  turnId,
  cursor,
  text: '',
});
export const blocked = (turnId: string, cursor: string, ...callbacks: OpenCallback[]): TurnRecord => ({
  type: 'blocked',
  sessionId: SESSION,
  turnId,
  cursor,
  text: '',
  callbacks,
});
export const completed = (turnId: string, cursor: string): TurnRecord => ({
  type: 'completed',
  sessionId: SESSION,
  turnId,
  cursor,
  text: 'done',
  toolCalls: [],
  usage: [],
  terminalReason: 'completed',
  stopReason: 'end_turn',
});
/** As a handle gives it. */
export const done = (turnId: string, cursor: string): TurnState =>
  ({ ...completed(turnId, cursor), output: 'done' }) as TurnState;
export const approval = (id = CALLBACK, source: 'policy' | 'hook' = 'policy'): OpenCallback => ({
  type: 'approval',
  id,
  sessionId: SESSION,
  turnId: 't1',
  title: 'Run ls',
  openedAt: 't',
  request: { callId: 'c', toolCallId: 'c', tool: { name: 'Bash' }, input: {}, inputHash: 'h', source },
});
export const signIn = (...sources: string[]): OpenCallback => ({
  type: 'sign_in',
  id: CALLBACK,
  sessionId: SESSION,
  turnId: 't1',
  title: 'Sign in',
  openedAt: 't',
  requests: sources.map((sourceId) => ({ sourceId })),
});
export const clientCall = (id = CALLBACK, name = 'pick'): OpenCallback => ({
  type: 'client_tool',
  id,
  sessionId: SESSION,
  turnId: 't1',
  title: name,
  openedAt: 't',
  call: { toolCallId: 'c', toolId: `client.${name}`, name, arguments: { ext: 'ts' } },
});
export const started = (turnId: string): Partial<AnyEvent> => ({ type: 'turn.started', turnId }) as Partial<AnyEvent>;
export const noted = (turnId?: string): Partial<AnyEvent> =>
  ({ type: 'notice', level: 'info', message: 'm', ...(turnId === undefined ? {} : { turnId }) }) as Partial<AnyEvent>;
export const opened = (turnId: string, callback: OpenCallback): Partial<AnyEvent> => ({
  type: 'callback.opened',
  turnId,
  callback,
});
export const resolved = (turnId: string, callbackId: string, more: object = {}): Partial<AnyEvent> => ({
  type: 'callback.resolved',
  turnId,
  callbackId,
  resolution: 'answered',
  ...more,
});
export const ended = (turnId: string, cursor: string): Partial<AnyEvent> => ({
  type: 'turn.ended',
  turnId,
  record: completed(turnId, cursor),
});

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

export const ids = (events: readonly StreamEvent[]): unknown[] =>
  events.map((event) => ('id' in event ? event.id : event.type));

/** Everything that is only waiting for microtasks has happened. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
