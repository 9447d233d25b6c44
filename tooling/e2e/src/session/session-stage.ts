import { type Client, connect, type Session, type Turn, type TurnInput } from '@rondo/client';
import { serveRuntime } from '@rondo/host';
import type { Channel, StreamEvent } from '@rondo/protocol';
import { createMemoryStore, createRuntime, type Runtime } from '@rondo/runtime';
import {
  recordingTool,
  type ScriptedModel,
  scriptedModel,
  type ScriptedStep,
  sha256,
  temporaryBinding,
} from '@rondo/runtime/testing';
import { expect } from 'vitest';

export interface Stage extends AsyncDisposable {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly model: ScriptedModel;
  readonly bindingId: string;
  readonly near: Channel;
  readonly bugs: readonly unknown[];
  readonly charge: ReturnType<typeof recordingTool>;
  /** Another client of the same runtime, over a channel of its own. */
  connectAnother(): Client;
}

export interface Wire {
  readonly make: () => [Channel, Channel];
  readonly trusted: boolean;
}

/** A runtime on a scripted model with one tool that asks before it charges, and a client of it. */
export async function stage({ make, trusted }: Wire, steps: readonly ScriptedStep[]): Promise<Stage> {
  const model = scriptedModel(steps);
  const charge = recordingTool({ name: 'Charge', effect: 'once' });
  const temporary = await temporaryBinding({ model, tools: [charge], policy: { allowedTools: [] } });
  const runtime = createRuntime({ store: createMemoryStore(), sha256 });
  const bindingId = runtime.bind(temporary.binding);
  const bugs: unknown[] = [];

  const open: (() => Promise<void>)[] = [];
  function connectTo(): [Client, Channel] {
    const [near, far] = make();
    const served = serveRuntime(runtime, far, { trusted, log: (bug) => bugs.push(bug), principal: 'tester' });
    open.push(() => served[Symbol.asyncDispose]());
    return [connect(near, { trusted, place: 'stage' }), near];
  }
  const [client, near] = connectTo();
  return {
    client,
    runtime,
    model,
    bindingId,
    near,
    bugs,
    charge,
    connectAnother: () => connectTo()[0],
    async [Symbol.asyncDispose]() {
      for (const close of open) await close();
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
