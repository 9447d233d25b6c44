import type { JsonObject, StandardSchema } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { checkConversation, describeProblems } from '../context/check-conversation.ts';
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
import { SPAWN_TOOL } from '../session/spawn-tool.ts';
import { defineClientTool } from '../tool/define-client-tool.ts';
import { defineTool } from '../tool/define-tool.ts';
import { defineSessionInput } from '../tool/session-input.ts';
import type { Tool } from '../tool/tool.ts';
import { recordingTool } from './recording-tool.ts';

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function seededRandom(seed: number): () => number {
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
export interface Life {
  alive: boolean;
  readonly followed: AbortController;
}

export interface World {
  readonly random: () => number;
  /** The tool whose calls somebody has to allow. */
  readonly asking: 'once' | 'idempotent';
  /** A hook judges its calls, replies and turns. */
  readonly hooked: boolean;
  /** Subagents, tools that ask, session inputs, what was said elsewhere before, and narrower limits are there too. */
  readonly isWide: boolean;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  /** How often each call of a `once` tool was run, over all lives. */
  readonly runs: Map<string, number>;
  /** IDs of messages that were accepted. */
  readonly accepted: Set<string>;
  readonly problems: string[];
  /** What a follower was shown, who takes up where it was whenever it is cut off. */
  readonly shown: number[];
  /** What the hook decided last at each place, by the chance that it meets there. */
  readonly decided: Map<number, number>;
  /** The session is judged again: the hook decides as it did. */
  isJudged: boolean;
  sent: number;
}

/** What a dead process waits for. */
export const never = (): Promise<never> => new Promise(() => {});

export async function pause(world: World): Promise<void> {
  const hops = Math.floor(world.random() * 6);
  for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
  if (world.random() < 0.3) await new Promise(setImmediate);
}

export function toolsOf(world: World, life: Life): Tool[] {
  const tools = effects.map((effect) =>
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
  );
  const played = tools.map((tool) => {
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
  return world.isWide ? [...played, ...askingTools(world, life)] : played;
}

/** Tools that a client answers, that want somebody to sign in, and that read what the session began with. */
function askingTools(world: World, life: Life): Tool[] {
  const input = { type: 'object' } as const;
  const mail = defineTool({
    name: 'mail',
    description: 'reads mail',
    input,
    effect: world.asking === 'once' ? 'none' : 'once',
    async run(_input, { requestSignIn }) {
      if (!life.alive) return await never();
      const { connected } = await requestSignIn([{ sourceId: 'mail', name: 'Mail' }]);
      await pause(world);
      return `connected ${connected.join()}`;
    },
  });
  const locate = defineTool({
    name: 'locate',
    description: 'says where it is',
    input,
    inputs: { place: placeInput },
    effect: 'none',
    run: (_input, { inputs }) => `at ${inputs.place}`,
  });
  return [mail, locate, ...(['none', 'idempotent'] as const).map((effect) => clientTool(effect))];
}

const clientTool = (effect: 'none' | 'idempotent'): Tool =>
  defineClientTool({ name: `client_${effect}`, description: 'asks', input: { type: 'object' }, effect });

const place: StandardSchema<string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'string' ? { value } : { issues: [{ message: 'must be a string' }] },
  },
};
const placeInput = defineSessionInput('place', place);

export function randomModel(world: World, life: Life): Model {
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
      const name = world.pick([...(world.isWide ? request.tools.map((tool) => tool.name) : effects), 'nothing']);
      const spawned: JsonObject = { agent: 'helper', task: `task ${calls}` };
      const input: JsonObject = name === SPAWN_TOOL ? spawned : { n: calls };
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
  return {
    name: 'random',
    ...(world.isWide ? { price: { input: 1000, output: 1000, cacheRead: 100, cacheWrite: 100 } } : {}),
    stream: (request, { signal }) => stream(request, signal),
  };
}

/** Judges everything, seldom badly, and keeps how often it did. */
export function randomHook(world: World, life: Life): LoopHook {
  const judge = async <Decision>(context: HookContext, decisions: readonly (() => Decision)[]) => {
    for (let count = 0; count < 2; count += 1) {
      if (!life.alive && !world.isJudged) await never();
      await pause(world);
    }
    context.keep({ type: 'runs', value: ((context.state?.value ?? 0) as number) + 1 });
    const place = context.random();
    if (world.isJudged) return decisions[world.decided.get(place) ?? -1]?.();
    const decision = world.random() < 0.8 ? undefined : world.pick(decisions);
    // What the hook of a dead process still decides counts for nothing.
    if (life.alive) world.decided.set(place, decision === undefined ? -1 : decisions.indexOf(decision));
    return decision?.();
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
