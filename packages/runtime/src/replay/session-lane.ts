import type { AnyEvent } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { hydrateEvent } from '../event/hydrate-event.ts';
import { emptySessionState } from '../event/session-state.ts';
import { customizedBinding } from '../session/customized-binding.ts';
import { defineSpawnTool, mayStartAgents } from '../session/spawn-tool.ts';
import { subagentBinding } from '../session/subagent-binding.ts';
import type { Binding } from '../turn/binding.ts';
import { createTodayJudge } from './judge-today.ts';
import type { LaneState } from './lane-state.ts';
import type { ReplayWorld } from './replay-owner.ts';
import { replayStretch } from './replay-stretch.ts';

/** Replays one session of a log, as its events come. */
export interface SessionLane {
  take(event: AnyEvent): Promise<void>;
  /** The log ends here, perhaps in the middle of a turn. */
  end(): Promise<void>;
  /** What a subagent of it works with, of this name, as far as the caller has that. */
  subagentBinding(name: string | undefined): Binding | undefined;
}

export interface SessionLaneOptions extends Pick<LaneState, 'world' | 'isSameAgent' | 'findings'> {
  /** The session's binding, where the caller has it, given the name of its agent. */
  readonly bindingOf: (agent: string | undefined) => Binding | undefined;
}

export function createSessionLane(sessionId: string, { bindingOf, ...options }: SessionLaneOptions): SessionLane {
  const state = emptySessionState(sessionId);
  const lane: LaneState = { ...options, bound: undefined, state, isFork: false, facts: [] };
  const today = lane.findings.mode === 'behavioural' ? createTodayJudge(lane) : undefined;
  /** Without what a session may have because of its place in the tree. */
  let own: Binding | undefined;
  let stretch: AnyEvent[] = [];

  async function replay(): Promise<void> {
    const events = stretch;
    stretch = [];
    if (lane.findings.divergence() !== undefined) return;
    await replayStretch(lane, events);
    await today?.judge(events);
  }

  async function boundOf({ binding, customization }: TurnStarted): Promise<Binding | undefined> {
    const bound = bindingOf(binding?.agent.name);
    if (bound === undefined || customization === undefined) return bound;
    try {
      return await customizedBinding(bound, customization);
    } catch (error) {
      if (!isRondoError(error)) throw error;
      lane.findings.note(`a turn was customized, which is not done again: ${error.message}`);
      return bound;
    }
  }

  return {
    async take(event) {
      if (event.type === 'turn.started') {
        own = await boundOf(event);
        lane.bound = own && withAgents(sessionId, own);
      }
      stretch.push(await whole(event, lane.world));
      if (event.type === 'turn.ended') await replay();
    },
    end: replay,
    subagentBinding(name) {
      const definition = own?.subagents?.find((one) => one.name === name);
      return own === undefined || definition === undefined ? undefined : subagentBinding(own, definition);
    },
  };
}

type TurnStarted = Extract<AnyEvent, { type: 'turn.started' }>;

function withAgents(sessionId: string, binding: Binding): Binding {
  if (!mayStartAgents(sessionId, binding)) return binding;
  // Its calls are answered from the log.
  const none = () => Promise.reject(new Error('a replay starts no agents'));
  const tool = defineSpawnTool(binding.subagents ?? [], { prepare: none, reconcile: none, run: none });
  return { ...binding, tools: [...binding.tools, tool] };
}

/** Content in blobs is brought back; where a blob is gone, the event stays as the log has it. */
async function whole(event: AnyEvent, { readBlob }: ReplayWorld): Promise<AnyEvent> {
  return event.type === 'unknown' ? event : await hydrateEvent(event, readBlob).catch(() => event);
}
