import type { SnapshotOffer } from '../event/event-store.ts';
import type { LogState } from '../event/log-state.ts';
import type { FileSystem } from './file-system.ts';
import { encodeHead, serializeValue, writeSnapshot } from './log-snapshot.ts';

/** A log that grew by less than this since its last snapshot is read as fast as a snapshot is. */
export const SNAPSHOT_EVERY_BYTES = 1024 * 1024;

/** Bytes that the log has to grow by for each byte of the last snapshot, so that writing them stays cheap. */
const GROWTH_A_BYTE = 4;

export interface SnapshotKeeperOptions {
  readonly fileSystem: FileSystem;
  readonly sessionId: string;
  readonly log: string;
  readonly path: string;
  readonly everyBytes: number;
  /** Where the log ended when its snapshot was taken; 0 where there is none that is of use. */
  readonly keptAt: number;
}

/** Keeps snapshots of one owned log, out of its writer's way. */
export interface SnapshotKeeper {
  /** Takes what the engine offers, where it is of all that is committed, and that is enough since the last time. */
  offer(offer: SnapshotOffer, committed: LogState | undefined): void;
  /** Resolves when none is being written. */
  settled(): Promise<void>;
}

export function createSnapshotKeeper(options: SnapshotKeeperOptions): SnapshotKeeper {
  const { fileSystem, sessionId, path, everyBytes } = options;
  let { keptAt } = options;
  /** Of the snapshot that is there; looked at where a log has grown enough for another one. */
  let keptBytes: number | undefined;
  let writing: Promise<void> | undefined;

  const write = async (state: LogState, version: string, value: Uint8Array): Promise<void> => {
    const log = await fileSystem.open(options.log, 'read');
    try {
      const head = await encodeHead(sessionId, log, { state, version, value });
      keptBytes = head.length + value.length;
      await writeSnapshot(fileSystem, path, { head, value });
    } finally {
      await log.close();
    }
  };

  return {
    offer({ seq, version, value }, committed) {
      if (committed?.seq !== seq || writing !== undefined) return;
      const grownBy = committed.offset - keptAt;
      if (grownBy < everyBytes) return;
      keptBytes ??= fileSystem.status(path)?.size ?? 0;
      if (grownBy < keptBytes * GROWTH_A_BYTE) return;
      keptAt = committed.offset;
      let serialized: Uint8Array;
      try {
        serialized = serializeValue(value());
      } catch {
        // What no clone can copy is no use to keep; the log has it.
        return;
      }
      // A disk that refuses it costs the next opening some time, and nothing else.
      writing = write(committed, version, serialized)
        .catch(() => undefined)
        .finally(() => {
          writing = undefined;
        });
    },
    async settled() {
      await writing;
    },
  };
}
