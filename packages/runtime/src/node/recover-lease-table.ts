import { RondoError } from '@rondo/protocol/values';
import { takeStaleLocks, takeTurnLock } from './host-lock.ts';
import { deleteLeaseTable, openLeaseTable, type LeaseTable } from './lease-table.ts';
import { isCorrupt, whileBusy, type Sqlite } from './sqlite.ts';

/** Taken in turn by hosts that find the table damaged. */
export const RECOVERY_LOCK = 'recovery.lock';

export interface LeaseTablePlace {
  /** Where the hosts' locks are. */
  readonly folder: string;
  readonly path: string;
  /** Lock file of this host. */
  readonly own: string;
}

/** A table that is damaged is made anew, but only when no other host lives: it alone says what they own. */
export async function openSoundLeaseTable(sqlite: Sqlite, { folder, path, own }: LeaseTablePlace): Promise<LeaseTable> {
  try {
    return await whileBusy(() => openLeaseTable(sqlite, path));
  } catch (error) {
    if (!isCorrupt(error)) throw error;
  }
  const turn = await whileBusy(() => takeTurnLock(sqlite, folder, RECOVERY_LOCK));
  try {
    return await whileBusy(() => openLeaseTable(sqlite, path));
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    const { stale, held } = takeStaleLocks(sqlite, folder, {
      except: [own, turn.file],
      most: Number.POSITIVE_INFINITY,
    });
    for (const lock of stale) lock.release();
    if (held > 0) {
      throw new RondoError(
        'store.unavailable',
        `${path} is damaged, and ${held} other processes hold sessions of it. End them, then try again.`,
        {
          details: { path, held },
          cause: error,
        },
      );
    }
    deleteLeaseTable(path);
    return await whileBusy(() => openLeaseTable(sqlite, path));
  } finally {
    turn.release();
  }
}
