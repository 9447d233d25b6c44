import type { SessionState } from '../event/session-state.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';
import type { SessionServices } from './session-services.ts';
import { transcriptsOf } from './session-transcripts.ts';
import type { SessionWriter } from './tree-writer.ts';

/** Most time that hooks have which are told that a session ends: whoever closes it waits for them. */
export const SESSION_END_MS = 5000;

export interface EndingSession {
  readonly services: Pick<SessionServices, 'clock' | 'sha256' | 'store'>;
  readonly state: SessionState;
  readonly writer: SessionWriter;
  readonly policy: () => Policy;
  readonly binding: Binding | undefined;
}

/** Tells hooks that this owner is done with the session. A session in which nothing was said has not begun. */
export async function tellSessionEnd(
  { services, state, writer, policy, binding }: EndingSession,
  reason: string,
): Promise<void> {
  const { lastTurnId: turnId, sessionId } = state;
  const isTold = binding?.eventHooks?.some(({ event }) => event === 'SessionEnd') === true;
  if (binding === undefined || !isTold || turnId === undefined || state.terminated || writer.failed.aborted) return;
  const { runEventHooks } = await import('../hook/run-event-hooks.ts');
  const { clock, sha256, store } = services;
  const { signal } = new AbortController();
  const transcripts = transcriptsOf(store, binding.transcripts, { rootId: sessionId, sessionId, writer });
  const emit = writer.emit;
  const turn = {
    sessionId,
    turnId,
    state,
    clock,
    sha256,
    signal,
    emit,
    binding,
    policy,
    ...transcripts,
    show: () => {},
  };
  const input = { reason };
  const place = { event: 'SessionEnd', id: `${state.epoch}`, subject: reason, mostMs: SESSION_END_MS } as const;
  await runEventHooks(turn, { ...place, input }).catch(() => undefined);
}
