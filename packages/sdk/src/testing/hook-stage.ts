import type { Notice, SDKUserMessage } from '@rondo/protocol';
import type { Binding } from '@rondo/runtime';
import { call, say, scriptedModel, type ScriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { compileBinding } from '../options/compile-binding.ts';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { leaseRuntime } from '../runtime/runtime-lease.ts';

/** One turn: what the model does in it, and when it is to be stopped. */
export interface StageTurn {
  readonly steps: readonly ScriptedStep[];
  readonly stop?: Promise<void>;
}

/** Where the calls are made that hooks are about. */
export const stagePlaces = ['query', 'subagent', 'resumed session'] as const;
export type StagePlace = (typeof stagePlaces)[number];

export interface Played {
  readonly model: ScriptedModel;
  /** What people are told. */
  readonly notices: readonly Notice[];
  /** How each turn ended. */
  readonly endings: readonly string[];
}

export type StageOptions = Options & { readonly home: string };

/** Plays turns in a place, with a model that does what they say. */
export async function playTurns(
  place: StagePlace,
  options: StageOptions,
  turns: readonly StageTurn[],
): Promise<Played> {
  const model = scriptedModel([]);
  const staged = { ...options, model };
  if (place === 'subagent') return await playSubagent(staged, model, turns);
  const before = place === 'query' ? undefined : await playQuery(staged, model, [{ steps: [say('hello')] }]);
  const { sessionId, endings } = await playQuery(
    before === undefined ? staged : { ...staged, resume: before.sessionId },
    model,
    turns,
  );
  return { model, endings, notices: await noticesOf(options.home, [sessionId]) };
}

async function playQuery(options: Options, model: ScriptedModel, turns: readonly StageTurn[]) {
  const endings: string[] = [];
  let sessionId = '';
  let ended = Promise.withResolvers<void>();
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const { steps, stop } of turns) {
      model.push(...steps);
      ended = Promise.withResolvers<void>();
      const interrupted = stop?.then(() => running.interrupt());
      yield { type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null };
      await ended.promise;
      await interrupted;
    }
  }
  const running = query({ prompt: prompts(), options });
  for await (const line of running) {
    if (line.type !== 'result') continue;
    sessionId = line.session_id;
    endings.push(line.terminal_reason ?? line.subtype);
    ended.resolve();
  }
  return { sessionId, endings };
}

/** The same, in a subagent that each turn starts. */
async function playSubagent(options: StageOptions, model: ScriptedModel, turns: readonly StageTurn[]): Promise<Played> {
  const { home, env = {} } = options;
  const lease = await leaseRuntime(home);
  try {
    const binding = await compileBinding(options, { env, home, note: () => undefined });
    const helper = { name: 'helper', description: 'Helps.', instructions: 'Help.' };
    const equipped = (own: Binding): Binding => ({ ...own, subagents: [helper] });
    const bindingId = lease.runtime.bind({
      ...equipped(binding),
      forTurn: async () => equipped((await binding.forTurn?.()) ?? binding),
    });
    const session = await lease.client.createSession({ bindingId });
    const endings: string[] = [];
    for (const { steps, stop } of turns) {
      model.push(call('agents.spawn', { agent: 'helper', task: 'go' }), ...steps);
      if (stop === undefined) model.push(say('back'));
      const turn = await session.startTurn('go');
      if (turn.type !== 'turn') throw new Error('the session is busy');
      const interrupted = stop?.then(() => turn.interrupt());
      endings.push((await turn.result()).type);
      await interrupted;
    }
    const { sessions } = await lease.client.request('session/subagents', { sessionId: session.id });
    const notices = await noticesOf(home, [session.id, ...sessions.map(({ id }) => id)]);
    return { model, endings, notices };
  } finally {
    await lease.release();
  }
}

async function noticesOf(home: string, sessionIds: readonly string[]): Promise<readonly Notice[]> {
  const lease = await leaseRuntime(home);
  try {
    const notices: Notice[] = [];
    for (const sessionId of sessionIds) {
      let after: string | undefined;
      for (let more = true; more; ) {
        const page = await lease.client.request('events/read', {
          sessionId,
          ...(after === undefined ? {} : { after }),
        });
        for (const event of page.events) if (event.type === 'notice') notices.push(event);
        ({ cursor: after, more } = page);
      }
    }
    return notices;
  } finally {
    await lease.release();
  }
}
