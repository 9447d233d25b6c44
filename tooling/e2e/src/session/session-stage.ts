import { type Client, connect, type Session, type Turn, type TurnInput } from '@rondo/client';
import type { Channel, StreamEvent } from '@rondo/protocol';
import { createMemoryStore, createRuntime, type EventStore, type Runtime } from '@rondo/runtime';
import {
  recordingTool,
  type ScriptedModel,
  scriptedModel,
  type ScriptedStep,
  sha256,
  temporaryBinding,
  type TemporaryBindingOptions,
} from '@rondo/runtime/testing';
import { expect } from 'vitest';
import type { Wire } from './wires.ts';

export interface Stage extends AsyncDisposable {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly model: ScriptedModel;
  readonly bindingId: string;
  readonly near: Channel;
  readonly bugs: readonly unknown[];
  readonly charge: ReturnType<typeof recordingTool>;
  /** The near end of a new channel to the same runtime. */
  open(): Promise<Channel>;
  /** Another client of the same runtime, over a channel of its own. */
  connectAnother(): Promise<Client>;
}

export interface StageOptions extends Partial<Omit<TemporaryBindingOptions, 'model'>> {
  readonly store?: EventStore;
}

/** A runtime on a scripted model, and a client of it; unless said otherwise with one tool that asks before it charges. */
export async function stage(
  { trusted, serve }: Wire,
  steps: readonly ScriptedStep[],
  { store = createMemoryStore(), ...given }: StageOptions = {},
): Promise<Stage> {
  const model = scriptedModel(steps);
  const charge = recordingTool({ name: 'Charge', effect: 'once' });
  const temporary = await temporaryBinding({ model, tools: [charge], policy: { allowedTools: [] }, ...given });
  const runtime = createRuntime({ store, sha256 });
  const bindingId = runtime.bind(temporary.binding);
  const bugs: unknown[] = [];

  const served = await serve(runtime, (bug) => bugs.push(bug));
  async function connectTo(): Promise<[Client, Channel]> {
    const channel = await served.open();
    return [connect(channel, { trusted, place: 'stage' }), channel];
  }
  const [client, near] = await connectTo();
  return {
    client,
    runtime,
    model,
    bindingId,
    near,
    bugs,
    charge,
    open: served.open,
    connectAnother: async () => (await connectTo())[0],
    async [Symbol.asyncDispose]() {
      await served.close();
      await runtime.close();
      await temporary[Symbol.asyncDispose]();
      expect(bugs).toEqual([]);
    },
  };
}

export async function start(session: Session, content: TurnInput): Promise<Turn> {
  const turn = await session.startTurn(content);
  if (turn.type === 'busy') throw new Error(`busy with ${turn.turn.id}`);
  return turn;
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of source) values.push(value);
  return values;
}

export const idsOf = (events: readonly StreamEvent[]): string[] =>
  events.flatMap((event) => ('id' in event ? [event.id] : []));
