import type { AgentCustomization, AnyEvent } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { hydrateEvent } from '../event/hydrate-event.ts';
import { emptySessionState } from '../event/session-state.ts';
import { customizedBinding } from '../session/customized-binding.ts';
import type { Binding } from '../turn/binding.ts';
import type { LaneState } from './lane-state.ts';
import type { ReplayWorld } from './replay-owner.ts';
import { replayStretch } from './replay-stretch.ts';

/** Replays one session of a log, as its events come. */
export interface SessionLane {
  take(event: AnyEvent): Promise<void>;
  /** The log ends here, perhaps in the middle of a turn. */
  end(): Promise<void>;
}

export function createSessionLane(
  sessionId: string,
  options: Pick<LaneState, 'world' | 'bound' | 'isSameAgent' | 'findings'>,
): SessionLane {
  const lane: LaneState = { ...options, state: emptySessionState(sessionId), isFork: false, facts: [] };
  let stretch: AnyEvent[] = [];

  async function replay(): Promise<void> {
    const events = stretch;
    stretch = [];
    if (lane.findings.divergence() !== undefined) return;
    const started = events.find((event) => event.type === 'turn.started');
    if (started !== undefined) lane.bound = await boundOf(started.customization);
    await replayStretch(lane, events);
  }

  async function boundOf(customization: AgentCustomization | undefined): Promise<Binding | undefined> {
    const { bound } = options;
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
      stretch.push(await whole(event, lane.world));
      if (event.type === 'turn.ended') await replay();
    },
    end: replay,
  };
}

/** Content in blobs is brought back; where a blob is gone, the event stays as the log has it. */
async function whole(event: AnyEvent, { readBlob }: ReplayWorld): Promise<AnyEvent> {
  return event.type === 'unknown' ? event : await hydrateEvent(event, readBlob).catch(() => event);
}
