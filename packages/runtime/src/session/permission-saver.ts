import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import { unwrittenUpdates } from '../permission/apply-permission-updates.ts';
import type { Binding } from '../turn/binding.ts';
import { savedNotice } from './session-notices.ts';

export interface PermissionSaverOptions {
  /** Of the root, which all updates come to. */
  readonly state: SessionState;
  readonly emit: (drafts: readonly EventDraft[]) => unknown;
  /** What the session works with now. */
  readonly binding: () => Binding | undefined;
  /** Names the policy in force. */
  readonly policyHash: (binding: Binding) => string;
}

/** Has updates written to the settings files that they name, after they are in the log; after a crash in between, again. */
export interface PermissionSaver {
  /** Begins with what is not written yet, if that is anything. */
  save(): void;
  /** Resolves when everything has been tried. */
  settled(): Promise<void>;
}

export function createPermissionSaver({ state, emit, binding, policyHash }: PermissionSaverOptions): PermissionSaver {
  let saving: Promise<void> | undefined;
  /** Up to where it was tried here, whether the log knows it yet or not. */
  let tried = 0;

  async function saveAll(): Promise<void> {
    for (;;) {
      const from = Math.max(tried, state.permissionsSaved ?? 0);
      const until = state.permissions.length;
      const bound = binding();
      const write = bound?.savePermissions;
      const updates = unwrittenUpdates(state.permissions.slice(from, until));
      if (bound === undefined || write === undefined || updates.length === 0) return;
      tried = until;
      const notices = await write(updates).catch((error: unknown) => [
        {
          level: 'error' as const,
          message: `The permission update counts for this session and could not be written to its settings file: ${String(error)}`,
        },
      ]);
      await bound.livePolicy?.refresh();
      emit(savedNotice(notices, { saved: until, policyHash: policyHash(bound) }));
    }
  }

  return {
    save() {
      if (saving !== undefined || state.permissions.length <= Math.max(tried, state.permissionsSaved ?? 0)) return;
      saving = saveAll()
        // A log that cannot be written any more has told its session.
        .catch(() => {})
        .finally(() => {
          saving = undefined;
        });
    },
    async settled() {
      while (saving !== undefined) await saving;
    },
  };
}
