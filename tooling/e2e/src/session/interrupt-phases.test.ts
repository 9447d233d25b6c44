import type { StreamEvent, TurnRecord } from '@rondo/protocol';
import type { Binding, Model, ModelPart } from '@rondo/runtime';
import { call, recordingTool, say, scriptedModel, stall, temporaryBinding } from '@rondo/runtime/testing';
import { createLocalSandbox } from '@rondo/sandbox';
import { builtinTools } from '@rondo/tools';
import { expect, test } from 'vitest';
import { createPlace } from '../harness/place.ts';
import { stage } from './session-stage.ts';
import { wires } from './wires.ts';

/** An interrupt is answered within this, whatever is going on. */
const BOUND_MS = 5000;

// What an interrupt does is the same whatever brings it.
const [inProcess] = wires;
if (inProcess === undefined) throw new Error('there are no wires');

const never = (): Promise<never> => new Promise(() => {});
const deaf = recordingTool({ name: 'deaf', effect: 'once', results: [never] });
const charge = recordingTool({ name: 'charge', effect: 'once' });
const ofType =
  (...types: readonly StreamEvent['type'][]) =>
  (event: StreamEvent): boolean =>
    types.includes(event.type);

interface Phase {
  readonly name: string;
  readonly model?: Model;
  readonly binding?: Partial<Binding>;
  /** Whether the turn has got there; at once unless said. */
  readonly reached?: (event: StreamEvent) => boolean;
  /** What is left of it. */
  readonly left?: Partial<Extract<TurnRecord, { type: 'interrupted' }>>;
}

const asking = (...steps: Parameters<typeof scriptedModel>[0]): Model => scriptedModel([...steps, say('next')]);

/** Stops in the middle of a call's arguments, and says so only at its next request. */
function modelWithHalfACall(): Model {
  let requests = 0;
  async function* stream(signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    requests += 1;
    yield { type: 'start', model: 'half' };
    if (requests === 1) {
      yield { type: 'block-start', index: 0, block: 'tool_call', toolCallId: 'call-1', name: 'charge' };
      yield { type: 'delta', index: 0, text: '{"amount": 1' };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }
    yield { type: 'block-start', index: 0, block: 'text' };
    yield { type: 'block-end', index: 0, block: { type: 'text', text: 'next' } };
    yield { type: 'end', stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1 } };
  }
  return { name: 'half', stream: (_request, { signal }) => stream(signal) };
}

const once =
  <Value>(first: () => Promise<Value>) =>
  (): Promise<Value> | undefined => {
    const run = first;
    first = () => Promise.resolve(undefined as Value);
    return run();
  };

const phases: readonly Phase[] = [
  { name: 'queued, before anything of it has begun', model: asking(stall()) },
  { name: 'before the first byte', model: asking(stall()), reached: ofType('model.requested') },
  {
    name: 'mid-text',
    model: asking([say('half'), stall()]),
    reached: ofType('text.delta'),
    left: { text: 'half', terminalReason: 'aborted_streaming' },
  },
  { name: 'mid-arguments', model: modelWithHalfACall(), reached: ofType('tool_input.delta'), left: { toolCalls: [] } },
  {
    name: 'in a hook before the model is asked, which ignores the abort',
    model: asking(),
    binding: { hooks: [{ name: 'deaf hook', preLlmCall: once(never) }] },
    reached: ofType('hook.started'),
  },
  {
    name: 'in a hook before a call, which ignores the abort',
    model: asking(call('charge')),
    binding: { hooks: [{ name: 'deaf hook', preToolCall: never }] },
    reached: ofType('hook.started'),
    left: { terminalReason: 'aborted_tools' },
  },
  {
    name: 'in a hook after a call, which ignores the abort',
    model: asking(call('look')),
    binding: { hooks: [{ name: 'deaf hook', postToolCall: never }] },
    reached: ofType('hook.started'),
    left: { terminalReason: 'aborted_tools' },
  },
  {
    name: 'with a question open',
    model: asking(call('charge')),
    reached: ofType('callback.opened'),
    left: { terminalReason: 'aborted_tools' },
  },
  {
    name: 'in a tool that ignores the abort',
    model: asking(call('deaf')),
    reached: ofType('tool.started'),
    left: { terminalReason: 'aborted_tools' },
  },
  {
    name: 'in a command that ignores signals, with children of its own',
    model: asking(
      call('Bash', { command: `trap '' TERM INT; (trap '' TERM; sleep 601) & setsid sleep 600 & sleep 602` }),
    ),
    reached: ofType('tool.started'),
    left: { terminalReason: 'aborted_tools' },
  },
];

test.each(phases)(
  'issue 4, accept 7: interrupted $name, a turn ends within the bound, leaves nothing behind, and the next one starts',
  async ({ model, binding, reached, left = {} }) => {
    using place = createPlace();
    const look = recordingTool({ name: 'look', effect: 'none' });
    const tools = [look, charge, deaf, builtinTools.Bash];
    const env = Object.fromEntries(
      Object.entries(place.env()).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    await using temporary = await temporaryBinding({
      model: model ?? asking(),
      tools,
      env,
      sandbox: createLocalSandbox(),
      policy: { tools, allowedTools: ['look', 'deaf', 'Bash'] },
      ...binding,
    });
    await using at = await stage(inProcess, []);
    const bindingId = at.runtime.bind(temporary.binding);
    const session = await at.client.createSession({ bindingId });
    const turn = await session.startTurn('go');
    if (turn.type === 'busy') throw new Error('busy');
    const queued = session.sendMessage('and then', { delivery: 'next' });
    if (reached !== undefined) await untilEvent(at.runtime, session.id, reached);
    await queued;

    const tooLate = new AbortController();
    const late = new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve('not within the bound'), BOUND_MS);
      tooLate.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    const answered = await Promise.race([turn.interrupt().then(() => 'answered'), late]);
    tooLate.abort();
    expect(answered).toBe('answered');
    expect(place.processes()).toEqual([]);

    const record = await turn.get();
    expect(record).toMatchObject({ type: 'interrupted', cause: 'interrupted', ...left });
    const { events } = await at.client.request('events/read', { sessionId: session.id });
    const own = events.filter((event) => 'turnId' in event && event.turnId === turn.id);
    expect(own.at(-1)?.type).toBe('turn.ended');
    const requested = own.flatMap((event) => (event.type === 'tool.requested' ? [event.callId] : []));
    const completed = own.flatMap((event) => (event.type === 'tool.completed' ? [event.callId] : []));
    expect(completed).toEqual(requested);

    const next = await untilEvent(
      at.runtime,
      session.id,
      (event) => event.type === 'turn.ended' && event.turnId !== turn.id,
    );
    expect(next).toMatchObject({ record: { type: 'completed', text: 'next' } });
  },
);

async function untilEvent(
  runtime: Awaited<ReturnType<typeof stage>>['runtime'],
  sessionId: string,
  fits: (event: StreamEvent) => boolean,
): Promise<StreamEvent> {
  const { signal } = new AbortController();
  for await (const batch of runtime.subscribe(sessionId, { signal, deltas: true })) {
    const found = batch.find(fits);
    if (found !== undefined) return found;
  }
  throw new Error('the subscription ended');
}
