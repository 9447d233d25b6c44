import { type Listening, listen } from '@rondo/host/node';
import { type AnyEvent, parseCursor } from '@rondo/protocol';
import { createMemoryStore, createRuntime } from '@rondo/runtime';
import {
  call,
  recordingTool,
  say,
  type ScriptedStep,
  scriptedModel,
  sha256,
  temporaryBinding,
} from '@rondo/runtime/testing';

/** A host with a session whose one turn makes so many events, with deltas between them, once it is begun. */
export interface LongSession extends AsyncDisposable {
  readonly host: Listening;
  readonly token: string;
  readonly sessionId: string;
  /** Starts the turn when the readers that set the pace have begun; resolves when it has ended. */
  run(): Promise<void>;
  /** How far a reader has come. The turn is never far ahead of any of them, so that they see text as it comes. */
  hasRead(reader: string, seq: number): void;
  /** The session's events as its store has them. */
  log(): Promise<AnyEvent[]>;
}

const callsOfStep = 6;
/** What a step makes: four events of the request and its reply, four of each call. */
const eventsOfStep = 4 + 4 * callsOfStep;
const mostAhead = 2 * eventsOfStep;

export async function longSession(events: number, readers: number): Promise<LongSession> {
  const steps = Math.ceil(events / eventsOfStep);
  const pace = createPace(readers);
  const waitForReader = async (): Promise<string> => {
    const { cursor } = await runtime.readSession({ sessionId });
    await pace.reached((parseCursor(cursor)?.seq ?? 0) - mostAhead);
    return 'ok';
  };
  const model = scriptedModel([...Array.from({ length: steps }, (_, index) => step(index)), say(['do', 'ne'])]);
  const tick = recordingTool({
    name: 'Tick',
    effect: 'none',
    results: Array.from({ length: steps * callsOfStep }, () => waitForReader),
  });
  const temporary = await temporaryBinding({ model, tools: [tick] });
  const store = createMemoryStore();
  const runtime = createRuntime({ store, sha256 });
  const bindingId = runtime.bind(temporary.binding);
  const token = 'sweeper';
  const host = await listen(runtime, { tokens: [{ token, name: 'sweeper', rights: ['read'] }] });
  const { sessionId } = await runtime.createSession({ bindingId });
  return {
    host,
    token,
    sessionId,
    async run() {
      await pace.reached(1);
      const content = [{ type: 'text' as const, text: 'go' }];
      const { turnId } = await runtime.startTurn({ sessionId, bindingId, content });
      const signal = AbortSignal.timeout(300_000);
      for await (const batch of runtime.subscribe(sessionId, { fromTurn: turnId, signal })) {
        if (batch.some((event) => event.type === 'turn.ended')) return;
      }
      throw new Error(`turn ${turnId} has not ended`);
    },
    hasRead: pace.move,
    async log() {
      const all: AnyEvent[] = [];
      for await (const event of store.read(sessionId)) all.push(event);
      return all;
    },
    async [Symbol.asyncDispose]() {
      await host.close();
      await runtime.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

function step(index: number): ScriptedStep {
  return [
    say([`step ${index}: `, 'à la ', 'carte 🙂 ', `${index * 7}`]),
    ...Array.from({ length: callsOfStep }, (_, number) => call('Tick', { index, number }, `call-${index}-${number}`)),
  ];
}

interface Pace {
  move(reader: string, seq: number): void;
  /** Resolves when every reader has come that far. */
  reached(seq: number): Promise<void>;
}

function createPace(count: number): Pace {
  const places = new Map<string, number>();
  let waiting: { readonly seq: number; readonly resolve: () => void }[] = [];
  const slowest = (): number => (places.size < count ? 0 : Math.min(...places.values()));
  return {
    move(reader, seq) {
      places.set(reader, seq);
      const at = slowest();
      const ready = waiting.filter((one) => one.seq <= at);
      waiting = waiting.filter((one) => one.seq > at);
      for (const { resolve } of ready) resolve();
    },
    reached: (seq) =>
      new Promise((resolve) => {
        if (seq <= slowest()) resolve();
        else waiting.push({ seq, resolve });
      }),
  };
}
