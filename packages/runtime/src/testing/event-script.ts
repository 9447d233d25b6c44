import type { AnyEvent, BindingRecord, SessionEvent } from '@rondo/protocol';
import type { EncodedEvent } from '../event/event-store.ts';

type Facts<Event> = Event extends SessionEvent
  ? Omit<Event, 'seq' | 'id' | 'at' | 'sessionId'> & { sessionId?: string }
  : never;

/** Makes a session's events one after the other, each with the next number and a time one second later. */
export interface EventScript {
  readonly sessionId: string;
  next(facts: Facts<SessionEvent>): EncodedEvent;
  /** An event of a type that no version knows. */
  unknown(facts: {
    readonly type: string;
    readonly required?: boolean;
    readonly [field: string]: unknown;
  }): EncodedEvent;
}

export function createEventScript(
  sessionId: string,
  options: { readonly lastSeq?: number; readonly startMs?: number } = {},
): EventScript {
  let seq = options.lastSeq ?? 0;
  const startMs = options.startMs ?? Date.UTC(2026, 0, 1);
  const stamp = () => {
    seq += 1;
    return { seq, id: `${sessionId}:${seq}`, at: new Date(startMs + seq * 1000).toISOString(), sessionId };
  };
  return {
    sessionId,
    next(facts) {
      const event = { ...stamp(), ...facts } as SessionEvent;
      return { event, json: JSON.stringify(event) };
    },
    unknown(facts) {
      const common = stamp();
      const json = JSON.stringify({ ...common, ...facts });
      const event: AnyEvent = { type: 'unknown', originalType: facts.type, raw: JSON.parse(json), ...common };
      return { event: event as unknown as SessionEvent, json };
    },
  };
}

/** What a session of a test was started with. */
export function sampleBinding(fields: Partial<BindingRecord> = {}): BindingRecord {
  return {
    cwd: '/work',
    model: 'scripted/test',
    policyHash: 'policy',
    agent: { name: 'agent', fingerprint: 'fingerprint' },
    hooks: [],
    tools: [],
    mcpServers: [],
    unattended: 'deny',
    permissionMode: 'default',
    ...fields,
  };
}
