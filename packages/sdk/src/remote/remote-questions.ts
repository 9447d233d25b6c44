import { allowApproval, type ApprovalHandler, denyApproval, keepCallbackOpen, type Session } from '@rondo/client';
import type { AllowAnswer, DenyAnswer, OpenApproval, StreamEvent } from '@rondo/protocol';
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
  /** Asks all that is open at the host again, under its ID. The first answer to each counts, whichever call it comes of. */
  askAgain(session: Session): Promise<void>;
  /** Asks nothing more; what is open stays open at the host. */
  close(): void;
}

type Question = Pick<OpenApproval, 'id' | 'title' | 'request' | 'sessionId'>;

/** Without a function nothing is asked here: the host's questions wait for somebody else. */
export function createRemoteQuestions(
  canUseTool: CanUseTool | undefined,
  note: (text: string) => void,
): RemoteQuestions {
  if (canUseTool === undefined)
    return { handlers: {}, follow() {}, see() {}, askAgain: () => Promise.resolve(), close() {} };
  const closing = new AbortController();
  /** Every call of the function that is not answered. */
  const asked = new Set<{ readonly id: string; readonly settled: AbortController }>();
  const followed = new Set<string>();

  /** The function's answer; undefined where it has none, or nobody waits for one any more. */
  const put = async (question: Question): Promise<ReturnType<typeof branded> | undefined> => {
    const ask = { id: question.id, settled: new AbortController() };
    asked.add(ask);
    const signal = AbortSignal.any([ask.settled.signal, closing.signal]);
    try {
      const answer = await askCanUseTool(canUseTool, question, { signal, note });
      return signal.aborted || answer === undefined ? undefined : branded(answer);
    } finally {
      asked.delete(ask);
    }
  };

  const onApproval: ApprovalHandler = async ({ callbackId: id, sessionId, title }, request) =>
    (await put({ id, sessionId, title, request })) ?? keepCallbackOpen();

  async function ask(session: Session, turnId: string): Promise<void> {
    const turn = session.turn(turnId);
    followed.add(turnId);
    try {
      let state = await turn.result({ signal: closing.signal });
      // A question that was left open to others ends a wait, and the next one is asked all the same.
      while (state.type === 'blocked') state = await turn.result({ signal: closing.signal, after: state });
    } finally {
      followed.delete(turnId);
    }
  }

  function follow(session: Session, turnId: string): void {
    ask(session, turnId).catch((error: unknown) => {
      if (!closing.signal.aborted) note(`A question was left open at the host: ${String(error)}`);
    });
  }

  async function askTurnAgain(session: Session, turnId: string): Promise<void> {
    const turn = session.turn(turnId);
    const state = await turn.get();
    if (state.type !== 'blocked') return;
    for (const callback of state.callbacks) {
      if (callback.type !== 'approval') continue;
      // What goes wrong leaves the question open, as it was.
      put(callback)
        .then(async (answer) => void (answer && (await turn.answer(callback.id, answer))))
        .catch(() => {});
    }
  }

  return {
    handlers: { onApproval },
    follow,
    see(session, event) {
      if (event.type === 'turn.started') follow(session, event.turnId);
      if (event.type !== 'callback.resolved') return;
      for (const { id, settled } of asked) if (id === event.callbackId) settled.abort();
    },
    async askAgain(session) {
      await Promise.all([...followed].map(async (turnId) => await askTurnAgain(session, turnId)));
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
