import type { AnyEvent, TurnRecord } from '@rondo/protocol';
import type { EventStore } from '../event/event-store.ts';
import type { Model } from '../model/model.ts';
import type { Tool } from '../tool/tool.ts';
import type { Binding, SubagentDefinition } from '../turn/binding.ts';
import { recordingTool } from './recording-tool.ts';
import { sessionScene, type Scene } from './session-scene.ts';

/** A session with subagents, each of whom has a model of its own. */
export interface TreeScene extends Scene {
  /** Sessions of the tree, the root first, as they were created. */
  sessionIds(): Promise<string[]>;
  /** The first event of any session of the tree that fits. */
  untilInTree(fits: (event: AnyEvent) => boolean): Promise<AnyEvent>;
  /** Events of one session, as they are stored. */
  eventsOf(sessionId: string): Promise<AnyEvent[]>;
  read(sessionId: string, turnId: string): Promise<TurnRecord>;
  /** The turn of a subagent's session. */
  turnOf(sessionId: string): Promise<string>;
}

export interface TreeSceneOptions {
  readonly model: Model;
  readonly agents: readonly (Partial<SubagentDefinition> & { readonly name: string; readonly model: Model })[];
  readonly tools?: readonly Tool[];
  readonly allowed?: readonly string[];
  readonly binding?: Partial<Binding>;
  readonly store?: EventStore;
}

export function agentOf({
  name,
  ...rest
}: Partial<SubagentDefinition> & { readonly name: string }): SubagentDefinition {
  return { name, description: `does what ${name} does`, instructions: `You are ${name}.`, ...rest };
}

/** @param sessionId of a root that the store has; absent makes a new one. */
export async function treeScene(options: TreeSceneOptions, sessionId?: string): Promise<TreeScene> {
  const { model, agents, tools = [recordingTool({ name: 'act' })], allowed, binding, store } = options;
  const scene = await sessionScene(
    {
      model,
      tools,
      binding: { subagents: agents.map(agentOf), ...binding },
      ...(allowed === undefined ? {} : { allowed }),
      ...(store === undefined ? {} : { store }),
    },
    sessionId,
  );
  const eventsOf = async (id: string): Promise<AnyEvent[]> =>
    (await scene.events()).filter((event) => event.sessionId === id);

  return {
    ...scene,
    eventsOf,
    async sessionIds() {
      const created = (await scene.events()).filter(({ type }) => type === 'session.created');
      return created.map((event) => event.sessionId);
    },
    async untilInTree(fits) {
      const { signal } = new AbortController();
      for await (const event of scene.store.tail(scene.sessionId, { signal })) if (fits(event)) return event;
      throw new Error('the log ended');
    },
    read: (id, turnId) => scene.runtime.readTurn({ sessionId: id, turnId }),
    async turnOf(id) {
      const started = (await eventsOf(id)).find(({ type }) => type === 'turn.started');
      if (started === undefined || !('turnId' in started) || started.turnId === undefined)
        throw new Error(`session ${id} has no turn`);
      return started.turnId;
    },
  };
}
