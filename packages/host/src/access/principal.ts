import type { PermissionMode } from '@rondo/protocol';

/** `read` sees sessions and their events, `answer` answers questions, `drive` starts, steers, stops and changes. None implies another. */
export type Right = 'read' | 'answer' | 'drive';

/** Who is at the other end of a connection, and what it may do. */
export interface Principal {
  /** Recorded with the answers it gives. */
  readonly name: string;
  readonly rights: readonly Right[];
  /**
   * Absolute folders, links followed. Sessions whose folder is in none of them do not exist for this principal, and it
   * starts nothing elsewhere. Absent: anywhere.
   */
  readonly folders?: readonly string[];
  /** The farthest it may let the runtime go unasked. Absent: whatever the binding allows. */
  readonly highestMode?: PermissionMode;
}

export const allRights: readonly Right[] = ['read', 'answer', 'drive'];

/** One who may do everything, as whoever shares the host's process or its user may anyway. */
export function unboundPrincipal(name: string): Principal {
  return { name, rights: allRights };
}
