import type { EventDraft } from '../event/event-draft.ts';
import type { LogDamage } from '../event/event-store.ts';
import type { PolicyNotice } from '../permission/live-policy.ts';

export function damageNotice(damage: LogDamage): EventDraft {
  const parts: string[] = [];
  if (damage.droppedBytes > 0) parts.push(`${damage.droppedBytes} bytes of an incomplete last batch were cut off`);
  if (damage.damagedLines > 0) parts.push(`${damage.damagedLines} damaged lines are left out`);
  return {
    type: 'notice',
    level: 'warning',
    message: `The log was damaged: ${parts.join('; ')}. Everything else is whole.`,
    details: { status: 'log_damaged', droppedBytes: damage.droppedBytes, damagedLines: damage.damagedLines },
  };
}

/** Says what this host lacks to go on with a turn: it waits for one that has it. */
export function parkedNotice(turnId: string, missing: readonly string[]): EventDraft {
  const message = `turn ${turnId} cannot be continued here; it needs ${missing.join(', ')}`;
  return { type: 'notice', turnId, level: 'warning', message, details: { status: 'parked', missing: [...missing] } };
}

export function notStartedNotice(error: unknown): EventDraft {
  const message = error instanceof Error ? error.message : String(error);
  return {
    type: 'notice',
    level: 'error',
    message: `The messages that wait could not be started, and go with the next message that is sent: ${message}`,
    details: { status: 'queue_not_started' },
  };
}

export function unwrittenNotice(): EventDraft {
  return {
    type: 'notice',
    level: 'info',
    message: 'The permission update counts for this session; its program writes no settings files.',
    details: { status: 'unwritten_permissions' },
  };
}

/**
 * What became of writing updates to settings files, up to where all are tried, and the policy by then: what the fold goes
 * by, so that it stands in the log also where there is nothing to say.
 */
export function savedNotice(
  notices: readonly PolicyNotice[],
  facts: { readonly saved: number; readonly policyHash: string },
): EventDraft[] {
  const said = notices.length > 0 ? notices : [{ level: 'info' as const, message: 'The settings say so already.' }];
  return said.map(({ level, message, details }) => ({
    type: 'notice',
    level,
    message,
    details: { ...details, status: 'permissions_saved', ...facts },
  }));
}
