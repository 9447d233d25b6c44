import { allowApproval, type ApprovalHandler, denyApproval, keepCallbackOpen, type Session } from '@rondo/client';
import type { AllowAnswer, DenyAnswer, StreamEvent } from '@rondo/protocol';
import { askCanUseTool } from '../options/can-use-tool-asker.ts';
import type { CanUseTool } from '../options/can-use-tool.ts';

/** The questions of a session at a host and of its subagents, put to the program's own function. */
export interface RemoteQuestions {
  /** For handles on the session: a wait for one of its turns asks. */
  readonly handlers: { readonly onApproval?: ApprovalHandler };
  /** Asks whatever this turn asks, until it has ended. */
  follow(session: Session, turnId: string): void;
  /** An event of the session: a turn that starts is followed, a question that is settled is taken back. */
  see(session: Session, event: StreamEvent): void;
  /** Asks nothing more; what is open stays open at the host. */
  close(): void;
}

/** Without a function nothing is asked here: the host's questions wait for somebody else. */
export function createRemoteQuestions(
  canUseTool: CanUseTool | undefined,
  note: (text: string) => void,
): RemoteQuestions {
  if (canUseTool === undefined) return { handlers: {}, follow() {}, see() {}, close() {} };
  const closing = new AbortController();
  const asked = new Map<string, AbortController>();

  const onApproval: ApprovalHandler = async ({ callbackId: id, title }, request) => {
    const settled = new AbortController();
    asked.set(id, settled);
    const signal = AbortSignal.any([settled.signal, closing.signal]);
    try {
      const answer = await askCanUseTool(canUseTool, { id, title, request }, { signal, note });
      return signal.aborted || answer === undefined ? keepCallbackOpen() : branded(answer);
    } finally {
      asked.delete(id);
    }
  };

  async function ask(session: Session, turnId: string): Promise<void> {
    const turn = session.turn(turnId);
    let state = await turn.result({ signal: closing.signal });
    // A question that was left open to others ends a wait, and the next one is asked all the same.
    while (state.type === 'blocked') state = await turn.result({ signal: closing.signal, after: state });
  }

  function follow(session: Session, turnId: string): void {
    ask(session, turnId).catch((error: unknown) => {
      if (!closing.signal.aborted) note(`A question was left open at the host: ${String(error)}`);
    });
  }

  return {
    handlers: { onApproval },
    follow,
    see(session, event) {
      if (event.type === 'turn.started') follow(session, event.turnId);
      if (event.type === 'callback.resolved') asked.get(event.callbackId)?.abort();
    },
    close: () => closing.abort(),
  };
}

function branded(answer: AllowAnswer | DenyAnswer) {
  if (answer.type === 'deny') {
    const { message, interrupt } = answer;
    return denyApproval({
      ...(message === undefined ? {} : { message }),
      ...(interrupt === undefined ? {} : { interrupt }),
    });
  }
  const { scope, updatedInput, updatedPermissions } = answer;
  return allowApproval({
    scope,
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedPermissions === undefined ? {} : { updatedPermissions }),
  });
}
