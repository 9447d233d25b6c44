import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import { childrenOf, descendantsOf, type TreeState } from '../event/tree-state.ts';
import type { TurnOutcome } from '../turn/end-turn.ts';
import { settleTurn } from '../turn/settle-turn.ts';
import { SPAWN_TOOL } from './spawn-tool.ts';
import { subagentResult } from './subagent-result.ts';
import type { SessionWriter } from './tree-writer.ts';

export interface TreeEndingOptions {
  readonly tree: TreeState;
  readonly emitOf: (state: SessionState) => SessionWriter['emit'];
}

/** Ends turns and sessions without running anything, from below: no turn ends before those that work for it. */
export interface TreeEnding {
  /** Settles a turn and the subagents that work for it; resolves when that is durable. */
  settle(state: SessionState, turnId: string, outcome: TurnOutcome): Promise<void>;
  /** Settles the turns below a session that are open still, as interrupted. */
  settleBelow(state: SessionState): void;
  /** Settles what is open, takes back what waits, and ends every session of the tree. */
  cancel(): Promise<void>;
}

const interrupted: TurnOutcome = { type: 'interrupted', cause: 'interrupted', terminalReason: 'aborted_tools' };

export function createTreeEnding({ tree, emitOf }: TreeEndingOptions): TreeEnding {
  function settleBelow(state: SessionState, outcome: TurnOutcome = interrupted): void {
    for (const child of childrenOf(tree, state.sessionId)) {
      const turnId = child.active?.turnId;
      // What it emits is in the log's order at once; the log's failure is told by what is waited for.
      if (turnId !== undefined) settle(child, turnId, outcome).catch(() => {});
    }
  }

  async function settle(state: SessionState, turnId: string, outcome: TurnOutcome): Promise<void> {
    const emit = emitOf(state);
    settleBelow(state, outcome);
    const results = spawnResults(state, turnId);
    if (results.length > 0) emit(results);
    await settleTurn({ turnId, state, emit }, outcome);
  }

  /** What is known of how subagents ended, for the calls that started them. */
  function spawnResults(state: SessionState, turnId: string): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const call of state.active?.calls.values() ?? []) {
      if (call.name !== SPAWN_TOOL || call.status !== 'started') continue;
      const child = childrenOf(tree, state.sessionId).find(({ spawnedBy }) => spawnedBy?.callId === call.callId);
      const record = child?.lastTurnId === undefined ? undefined : child.records.get(child.lastTurnId);
      if (record === undefined) continue;
      const { content, isError = false, structured } = subagentResult(child?.binding?.agent.name ?? '', record);
      const text = typeof content === 'string' ? content : '';
      drafts.push({
        type: 'tool.completed',
        turnId,
        callId: call.callId,
        toolCallId: call.toolCallId,
        name: call.name,
        isError,
        outcome: isError ? 'error' : 'success',
        content: [{ type: 'text', text }],
        ...(structured === undefined ? {} : { structured }),
        ...(isError ? { error: { message: text } } : {}),
      });
    }
    return drafts;
  }

  async function cancel(): Promise<void> {
    const { root } = tree;
    const outcome: TurnOutcome = { type: 'interrupted', cause: 'cancelled', terminalReason: 'aborted_tools' };
    if (root.active !== undefined) settle(root, root.active.turnId, outcome).catch(() => {});
    for (const state of descendantsOf(tree, root.sessionId)) if (!state.terminated) emitOf(state)([terminated]);
    const taken = root.queue.map(
      ({ messageId }): EventDraft => ({ type: 'message.cancelled', messageId, reason: 'session_cancelled' }),
    );
    await emitOf(root)([...taken, terminated]).committed;
  }

  return { settle, settleBelow, cancel };
}

const terminated: EventDraft = {
  type: 'session.updated',
  status: 'terminated',
  termination: { type: 'cancelled' },
};
