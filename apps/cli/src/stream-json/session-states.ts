import { randomUUID } from 'node:crypto';
import type { SDKMessage } from '@rondo/sdk';
import { type SessionFacts, stateLines } from './session-facts.ts';

/** What a client is told of its session's state. States begin with the first line of the session, which says its name. */
export interface SessionStates {
  /** A line of the session is about to be written. */
  shown(): void;
  /** Says what the state is, where it has changed. */
  tell(): Promise<void>;
  /** The last thing that is said: whatever happened, nothing is at work any more. */
  tellEnd(): Promise<void>;
  /** Says that this process goes away; only where the client knows of a session. */
  tellLeaving(): Promise<void>;
}

export interface SessionStatesOptions {
  readonly facts: SessionFacts;
  readonly write: (line: SDKMessage) => Promise<void>;
  /** The client asked for states. */
  readonly areWanted: boolean;
}

export function createSessionStates({ facts, write, areWanted }: SessionStatesOptions): SessionStates {
  const changed = stateLines(facts);
  let hasShown = false;

  async function writeAll(lines: (state?: 'idle') => readonly SDKMessage[], state?: 'idle'): Promise<void> {
    if (!areWanted || !hasShown) return;
    for (const line of lines(state)) await write(line);
  }

  return {
    shown() {
      hasShown = true;
    },
    tell: () => writeAll(changed),
    tellEnd: () => writeAll(changed, 'idle'),
    async tellLeaving() {
      const { sessionId } = facts;
      if (!hasShown || sessionId === undefined) return;
      await write({
        type: 'system',
        subtype: 'worker_shutting_down',
        uuid: randomUUID(),
        session_id: sessionId,
        reason: 'host_exit',
      });
    },
  };
}
