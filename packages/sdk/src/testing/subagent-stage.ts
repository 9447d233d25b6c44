import type { AnyEvent, SDKMessage } from '@rondo/protocol';
import type { Binding } from '@rondo/runtime';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { compileBinding } from '../options/compile-binding.ts';
import { leaseRuntime } from '../runtime/runtime-lease.ts';
import { nothingKnown } from '../store/load-session.ts';
import { projectKeyOf, type SessionStore } from '../store/session-store.ts';
import { startTreeMirror } from '../store/tree-mirror.ts';

export interface SpawnedSessions {
  readonly sessionId: string;
  /** Of the subagents' sessions. */
  readonly below: readonly string[];
  /** What the mirror told. */
  readonly shown: readonly SDKMessage[];
  readonly events: readonly AnyEvent[];
}

/** A session of this home whose model hands its task on to subagents, mirrored while it works. */
export async function spawnSubagents(
  home: string,
  store: SessionStore,
  steps: readonly ScriptedStep[] = [
    call('agents.spawn', { agent: 'helper', task: 'help me' }),
    say('helped'),
    say('back'),
  ],
): Promise<SpawnedSessions> {
  const lease = await leaseRuntime(home);
  try {
    const { client, runtime } = lease;
    const options = { model: scriptedModel(steps), home, cwd: home, tools: [], settingSources: [], env: {} };
    const binding = await compileBinding(options, { env: {}, home, note: () => {} });
    const helper = { name: 'helper', description: 'Helps.', instructions: 'Help.' };
    const equipped = (own: Binding): Binding => ({ ...own, subagents: [helper] });
    const forTurn = async (): Promise<Binding> => equipped((await binding.forTurn?.()) ?? binding);
    const session = await client.createSession({ bindingId: runtime.bind({ ...equipped(binding), forTurn }) });
    const shown: SDKMessage[] = [];
    const key = { projectKey: projectKeyOf(home), sessionId: session.id };
    const show = (line: SDKMessage): void => void shown.push(line);
    const mirror = startTreeMirror({ client, session, store, key, known: nothingKnown, flush: 'batched', show });
    const turn = await session.startTurn('go');
    if (turn.type !== 'turn') throw new Error('the session is busy');
    await turn.result();
    await mirror.close();
    const { sessions } = await client.request('session/list', { scope: 'tree', root: session.id });
    const { events } = await client.request('events/read', { sessionId: session.id });
    const below = sessions.map(({ id }) => id).filter((id) => id !== session.id);
    return { sessionId: session.id, below, shown, events };
  } finally {
    await lease.release();
  }
}
