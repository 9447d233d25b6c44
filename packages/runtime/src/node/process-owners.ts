import { inUse, ownershipLost, type Lease, type Owners } from './owners.ts';

/** Owners among the stores of one process that share this value: for file systems that no other process can reach. */
export function createProcessOwners(): Owners {
  const held = new Map<string, { readonly since: string }>();
  const epochs = new Map<string, number>();
  return {
    claim(sessionId, { fresh = false } = {}) {
      const owner = held.get(sessionId);
      if (owner !== undefined)
        return Promise.reject(inUse(sessionId, { pid: process.pid, host: 'this process', since: owner.since }));
      const mark = { since: new Date().toISOString() };
      held.set(sessionId, mark);
      let epoch = fresh ? 1 : (epochs.get(sessionId) ?? 0) + 1;
      epochs.set(sessionId, epoch);
      const lease: Lease = {
        get epoch() {
          return epoch;
        },
        raise(recorded) {
          if (epoch <= recorded) epoch = recorded + 1;
          epochs.set(sessionId, epoch);
        },
        assertOwned() {
          if (held.get(sessionId) !== mark) throw ownershipLost(sessionId, 'it was released');
        },
        async release() {
          if (held.get(sessionId) === mark) held.delete(sessionId);
        },
      };
      return Promise.resolve(lease);
    },
    close() {
      held.clear();
    },
  };
}
