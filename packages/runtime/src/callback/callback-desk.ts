import type {
  AllowAnswer,
  AnswerOutcome,
  CallbackAnswer,
  ClientToolAnswer,
  DenyAnswer,
  KnownOpenCallback,
  OpenApproval,
  OpenCallback,
  PermissionUpdate,
  SignInAnswer,
} from '@rondo/protocol';
import { answerMisfit, RondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';

/** What answers a question of each kind. */
interface AnswersByKind {
  readonly approval: AllowAnswer | DenyAnswer;
  readonly sign_in: SignInAnswer;
  readonly client_tool: ClientToolAnswer;
}

export type CallbackOutcome<Question extends KnownOpenCallback = KnownOpenCallback> =
  | { readonly type: 'answered'; readonly answer: AnswersByKind[Question['type']]; readonly by: string }
  | { readonly type: 'closed' };
export type ApprovalOutcome = CallbackOutcome<OpenApproval>;

export interface CallbackDeskOptions {
  readonly state: SessionState;
  readonly emit: (drafts: readonly EventDraft[]) => { readonly committed: Promise<void> };
  /** What is to be noted about these updates. Throws when the policy cannot take them as they are. */
  readonly checkUpdates: (updates: readonly PermissionUpdate[]) => readonly EventDraft[];
}

/** A session's questions: opened once, settled once, the first answer wins. */
export interface CallbackDesk {
  /** Opens a question, or finds it under its ID after a restart, and waits for its end. The answer is durable by then. */
  ask<Question extends KnownOpenCallback>(callback: Question): Promise<CallbackOutcome<Question>>;
  /** Resolves when the question has been stored, so that it can be shown. */
  opened(callbackId: string): Promise<void>;
  /**
   * @throws RondoError `answer.unfit` when the answer is not one for this question, `permission.*` when the policy
   * cannot take its updates; nothing is stored then.
   */
  answer(callbackId: string, answer: CallbackAnswer, by: string): Promise<AnswerOutcome>;
  /** Settles an open question without an answer, since its turn ends. */
  close(callbackId: string): void;
  /** The same, since nobody needs its answer any more: the turn goes on. */
  withdraw(callbackId: string): void;
  /** Ends every wait as closed. What is stored stays: the next owner finds the questions open. */
  leave(): void;
}

export function createCallbackDesk({ state, emit, checkUpdates }: CallbackDeskOptions): CallbackDesk {
  const waiting = new Map<string, (outcome: CallbackOutcome) => void>();
  const openings = new Map<string, Promise<void>>();

  function open(callback: KnownOpenCallback): void {
    const turnId = callback.turnId;
    const facts: EventDraft[] = [{ type: 'callback.opened', turnId, callback }];
    if (state.active?.blocked === false) facts.push({ type: 'turn.updated', turnId, status: 'blocked' });
    openings.set(callback.id, emit(facts).committed);
  }

  /** With the last open question of its turn, the turn is at work again. */
  function runningAgain(turnId: string, callbackId: string): EventDraft[] {
    for (const [id, callback] of state.callbacks) {
      if (id !== callbackId && !callback.settled && callback.turnId === turnId) return [];
    }
    return [{ type: 'turn.updated', turnId, status: 'running' }];
  }

  function settle(callbackId: string, outcome: CallbackOutcome): void {
    waiting.get(callbackId)?.(outcome);
    waiting.delete(callbackId);
    openings.delete(callbackId);
  }

  function close(callbackId: string, turnGoesOn: boolean): void {
    const known = state.callbacks.get(callbackId);
    if (known?.settled === false) {
      const { turnId } = known;
      const facts: EventDraft[] = [
        { type: 'callback.resolved', turnId, callbackId, resolution: 'closed', by: 'runtime' },
      ];
      emit(turnGoesOn ? [...facts, ...runningAgain(turnId, callbackId)] : facts);
    }
    settle(callbackId, { type: 'closed' });
  }

  function ask(callback: KnownOpenCallback): Promise<CallbackOutcome> {
    const known = state.callbacks.get(callback.id);
    if (known?.settled === true) {
      const { answer } = known;
      const isAnswered = answer !== undefined && answerMisfit(callback, answer) === undefined;
      return Promise.resolve(isAnswered ? { type: 'answered', answer, by: 'recorded' } : { type: 'closed' });
    }
    if (known === undefined) open(callback);
    return new Promise((resolve) => waiting.set(callback.id, resolve));
  }

  return {
    // What was answered fits its question, so the outcome is one of the question's own kind.
    ask: ask as CallbackDesk['ask'],
    opened: (callbackId) => openings.get(callbackId) ?? Promise.resolve(),
    async answer(callbackId, answer, by) {
      const known = state.callbacks.get(callbackId);
      if (known === undefined && !state.settledCallbacks.has(callbackId)) return { type: 'notFound' };
      if (known === undefined || known.settled) return { type: 'alreadySettled', sessionId: state.sessionId };
      requireFit(known.callback, answer);
      const { turnId } = known;
      const notes = answer.type === 'allow' ? checkUpdates(answer.updatedPermissions ?? []) : [];
      const facts: EventDraft[] = [
        { type: 'callback.resolved', turnId, callbackId, resolution: 'answered', answer, by },
      ];
      const permissions = permissionsOf(known.callback, answer);
      if (permissions.length > 0) facts.push({ type: 'session.updated', turnId, permissions });
      await emit([...facts, ...runningAgain(turnId, callbackId), ...notes]).committed;
      settle(callbackId, { type: 'answered', answer, by });
      const isDecision = answer.type === 'allow' || answer.type === 'deny';
      return { type: 'answered', sessionId: state.sessionId, answer: isDecision ? answer : null };
    },
    close: (callbackId) => close(callbackId, false),
    withdraw: (callbackId) => close(callbackId, true),
    leave() {
      for (const resolve of waiting.values()) resolve({ type: 'closed' });
      waiting.clear();
      openings.clear();
    },
  };
}

function requireFit(callback: OpenCallback, answer: CallbackAnswer): void {
  const problem = answerMisfit(callback, answer);
  if (problem === undefined) return;
  throw new RondoError('answer.unfit', `this question cannot have this answer: ${problem}; it stays open`, {
    details: { callbackType: callback.type, answerType: answer.type },
  });
}

function permissionsOf(callback: OpenCallback, answer: CallbackAnswer): PermissionUpdate[] {
  if (callback.type !== 'approval' || answer.type !== 'allow') return [];
  const updates = [...(answer.updatedPermissions ?? [])];
  const rule = callback.request.sessionRule;
  if (answer.scope === 'session' && rule !== undefined) {
    updates.push({ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' });
  }
  return updates;
}
