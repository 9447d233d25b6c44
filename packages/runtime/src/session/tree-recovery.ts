import type { BindingRecord, SessionInfo } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { OwnedLog } from '../event/event-store.ts';
import type { ActiveTurn, SessionState } from '../event/session-state.ts';
import { descendantsOf, type TreeState } from '../event/tree-state.ts';
import type { Binding } from '../turn/binding.ts';
import type { TurnOutcome } from '../turn/end-turn.ts';
import { missingForTurn } from './binding-record.ts';
import type { customizedBinding } from './customized-binding.ts';
import type { LiveSession } from './live-session.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import { damageNotice, parkedNotice } from './session-notices.ts';
import type { SessionServices } from './session-services.ts';

export interface TreeRecoveryOptions {
  readonly services: SessionServices;
  readonly log: OwnedLog;
  readonly tree: TreeState;
  readonly root: LiveSession;
  readonly exclusively: OneAtATime;
  readonly recordOf: (binding: Binding) => BindingRecord;
  /** What a session of the tree works with, given its root's binding. */
  readonly bindingOf: (state: SessionState, rootBinding: Binding) => Binding | undefined;
  readonly useBinding: (binding: Binding, customized?: Binding) => void;
  readonly customized: typeof customizedBinding;
  readonly settle: (turnId: string, outcome: TurnOutcome) => Promise<void>;
  readonly run: (turnId: string, binding: Binding) => void;
  readonly startQueued: () => Promise<string | undefined>;
  readonly info: () => Promise<SessionInfo>;
}

/** How an owner takes up what the one before it left. */
export interface TreeRecovery {
  /**
   * Says in the log that this host has taken the tree over from a former owner, and what was found damaged. A turn that
   * was parked stays so: nothing is taken up.
   */
  takeOver(): void;
  /** Takes the tree over, and takes up what its former owner left. */
  recover(binding: Binding, unfinished: 'settle' | 'continue'): Promise<void>;
  /**
   * What becomes of an unfinished turn that does not run here: settled without running anything, continued, or parked.
   * Gives the session as it is before that turn does anything.
   */
  takeUp(binding: Binding, unfinished: 'settle' | 'continue'): Promise<SessionInfo>;
  /**
   * The session as `recover` left it, before a turn that goes on, or begins with messages that waited, did anything:
   * what follows is after its cursor.
   */
  openedAs(): SessionInfo | undefined;
  /** Says that the unfinished turn waits for another host, and for what. */
  park(missing: readonly string[]): Promise<void>;
}

export function createTreeRecovery(options: TreeRecoveryOptions): TreeRecovery {
  const { services, log, tree, exclusively, recordOf, info } = options;
  const { root } = options;
  const { state, writer } = root;
  let openedAs: SessionInfo | undefined;

  function takeOver({ leaves = true } = {}): void {
    const facts: EventDraft[] = [{ type: 'session.acquired', epoch: log.epoch, host: { ...services.host } }];
    if (log.damage !== undefined) facts.push(damageNotice(log.damage));
    if (leaves) for (const [turnId, missing] of state.parked) facts.push(parkedNotice(turnId, missing));
    writer.emit(facts);
  }

  async function takeUp(binding: Binding, unfinished: 'settle' | 'continue'): Promise<SessionInfo> {
    return await exclusively(async () => {
      const active = root.runningTurnId() === undefined ? state.active : undefined;
      if (log.readOnly || state.active !== active) return await info();
      options.useBinding(binding);
      if (active !== undefined && unfinished === 'settle') {
        await options.settle(active.turnId, {
          type: 'interrupted',
          cause: 'crashed',
          terminalReason: 'aborted_tools',
        });
      }
      const goingOn = active !== undefined && unfinished === 'continue' ? await goOnWith(active, binding) : undefined;
      const before = await info();
      // Somebody may have interrupted it meanwhile.
      if (active !== undefined && goingOn !== undefined && state.active === active) options.run(active.turnId, goingOn);
      // What had been accepted goes on too, as it would have behind the turn before it.
      const turnId = unfinished === 'continue' ? await options.startQueued() : undefined;
      return turnId === undefined ? before : { ...before, status: 'running', activeTurnId: turnId };
    });
  }

  /** What an unfinished turn goes on with here: its agent as it was customized when it started. Or it is parked. */
  async function goOnWith(active: ActiveTurn, binding: Binding): Promise<Binding | undefined> {
    const { turnId, customization } = active;
    if (customization === undefined) return announceTurn(active, binding) ? binding : undefined;
    try {
      const customized = await options.customized(binding, customization);
      if (state.active !== active) return undefined;
      options.useBinding(binding, customized);
      return announceTurn(active, customized) ? customized : undefined;
    } catch (error) {
      if (!isRondoError(error)) throw error;
      if (state.active === active) writer.emit([parkedNotice(turnId, [error.message])]);
      return undefined;
    }
  }

  /** Says whether an unfinished turn goes on here, or what it waits for. */
  function announceTurn(active: ActiveTurn, binding: Binding): boolean {
    const { turnId, blocked } = active;
    const missing = missingForTree(active, binding);
    if (missing.length > 0) {
      writer.emit([parkedNotice(turnId, missing)]);
      return false;
    }
    if (!blocked || state.parked.has(turnId))
      writer.emit([{ type: 'turn.updated', turnId, status: blocked ? 'blocked' : 'running' }]);
    return true;
  }

  /** The subagents that are at work go on with the turn, so what they need is needed too. */
  function missingForTree(active: ActiveTurn, binding: Binding): string[] {
    const missing = missingForTurn(active.binding, recordOf(binding));
    for (const child of descendantsOf(tree, state.sessionId)) {
      if (child.active === undefined) continue;
      const own = options.bindingOf(child, binding);
      if (own === undefined) missing.push(`agent "${child.binding?.agent.name ?? ''}"`);
      else missing.push(...missingForTurn(child.active.binding, recordOf(own)));
    }
    return [...new Set(missing)];
  }

  return {
    takeOver,
    async recover(binding, unfinished) {
      takeOver({ leaves: false });
      openedAs = await takeUp(binding, unfinished);
    },
    takeUp,
    openedAs: () => openedAs,
    async park(missing) {
      if (state.active !== undefined) await writer.emit([parkedNotice(state.active.turnId, missing)]).committed;
    },
  };
}
