import type {
  AllowAnswer,
  AnswerOutcome,
  CallbackAnswer,
  DenyAnswer,
  OpenApproval,
  PermissionUpdate,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';

export type ApprovalOutcome =
  | { readonly type: 'answered'; readonly answer: AllowAnswer | DenyAnswer; readonly by: string }
  | { readonly type: 'closed' };

export interface CallbackDeskOptions {
  readonly state: SessionState;
  readonly emit: (drafts: readonly EventDraft[]) => { readonly committed: Promise<void> };
  /** What is to be noted about these updates. Throws when the policy cannot take them as they are. */
  readonly checkUpdates: (updates: readonly PermissionUpdate[]) => readonly EventDraft[];
}

/** A session's questions: opened once, settled once, the first answer wins. */
export interface CallbackDesk {
  /** Opens a question, or finds it under its ID after a restart, and waits for its end. The answer is durable by then. */
  ask(callback: OpenApproval): Promise<ApprovalOutcome>;
  /** Resolves when the question has been stored, so that it can be shown. */
  opened(callbackId: string): Promise<void>;
  /**
   * @throws RondoError `answer.unfit` when the answer is not one for this kind of question, `permission.*` when the policy
   * cannot take its updates; nothing is stored then.
   */
  answer(callbackId: string, answer: CallbackAnswer, by: string): Promise<AnswerOutcome>;
  /** Settles an open question without an answer. */
  close(callbackId: string): void;
  /** Ends every wait as closed. What is stored stays: the next owner finds the questions open. */
  leave(): void;
}

export function createCallbackDesk({ state, emit, checkUpdates }: CallbackDeskOptions): CallbackDesk {
  const waiting = new Map<string, (outcome: ApprovalOutcome) => void>();
  const openings = new Map<string, Promise<void>>();

  function open(callback: OpenApproval): void {
    const turnId = callback.turnId;
    const facts: EventDraft[] = [{ type: 'callback.opened', turnId, callback }];
    if (state.active?.blocked === false) facts.push({ type: 'turn.updated', turnId, status: 'blocked' });
    openings.set(callback.id, emit(facts).committed);
  }

  function othersOpen(turnId: string, callbackId: string): boolean {
    for (const [id, callback] of state.callbacks) {
      if (id !== callbackId && !callback.settled && callback.turnId === turnId) return true;
    }
    return false;
  }

  return {
    ask(callback) {
      const known = state.callbacks.get(callback.id);
      if (known?.settled === true) {
        const answer = known.answer;
        if (answer?.type === 'allow' || answer?.type === 'deny')
          return Promise.resolve({ type: 'answered', answer, by: 'recorded' });
        return Promise.resolve({ type: 'closed' });
      }
      if (known === undefined) open(callback);
      return new Promise((resolve) => waiting.set(callback.id, resolve));
    },
    opened: (callbackId) => openings.get(callbackId) ?? Promise.resolve(),
    async answer(callbackId, answer, by) {
      const known = state.callbacks.get(callbackId);
      if (known === undefined && !state.settledCallbacks.has(callbackId)) return { type: 'notFound' };
      if (known === undefined || known.settled) return { type: 'alreadySettled', sessionId: state.sessionId };
      const fitting = fittingAnswer(known.callback, answer);
      const notes = fitting.type === 'allow' ? checkUpdates(fitting.updatedPermissions ?? []) : [];
      const facts: EventDraft[] = [
        { type: 'callback.resolved', turnId: known.turnId, callbackId, resolution: 'answered', answer, by },
      ];
      const permissions = permissionsOf(known.callback as OpenApproval, fitting);
      if (permissions.length > 0) facts.push({ type: 'session.updated', turnId: known.turnId, permissions });
      if (!othersOpen(known.turnId, callbackId))
        facts.push({ type: 'turn.updated', turnId: known.turnId, status: 'running' });
      await emit([...facts, ...notes]).committed;
      waiting.get(callbackId)?.({ type: 'answered', answer: fitting, by });
      waiting.delete(callbackId);
      openings.delete(callbackId);
      return { type: 'answered', sessionId: state.sessionId, answer: fitting };
    },
    close(callbackId) {
      const known = state.callbacks.get(callbackId);
      if (known?.settled === false) {
        emit([{ type: 'callback.resolved', turnId: known.turnId, callbackId, resolution: 'closed', by: 'runtime' }]);
      }
      waiting.get(callbackId)?.({ type: 'closed' });
      waiting.delete(callbackId);
      openings.delete(callbackId);
    },
    leave() {
      for (const resolve of waiting.values()) resolve({ type: 'closed' });
      waiting.clear();
      openings.clear();
    },
  };
}

function fittingAnswer(callback: { readonly type: string }, answer: CallbackAnswer): AllowAnswer | DenyAnswer {
  if (callback.type !== 'approval' || (answer.type !== 'allow' && answer.type !== 'deny')) {
    throw new RondoError(
      'answer.unfit',
      `a question of kind ${callback.type} cannot be answered with "${answer.type}"`,
      {
        details: { callback: callback.type, answer: answer.type },
      },
    );
  }
  const request = (callback as OpenApproval).request;
  if (answer.type === 'allow' && answer.scope === 'session' && request.source === 'hook') {
    throw new RondoError('answer.unfit', 'a question that a hook raised can be allowed once, not for the session');
  }
  return answer;
}

function permissionsOf(callback: OpenApproval, answer: AllowAnswer | DenyAnswer): PermissionUpdate[] {
  if (answer.type !== 'allow') return [];
  const updates = [...(answer.updatedPermissions ?? [])];
  const rule = callback.request.sessionRule;
  if (answer.scope === 'session' && rule !== undefined) {
    updates.push({ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' });
  }
  return updates;
}
