/**
 * A subagent's session is named by its parent's ID and eight hexadecimal digits more, so that parent, root and depth
 * follow from the ID alone: `<root>.<8 hex>.<8 hex>`.
 */
const childSegment = /\.[0-9a-f]{8}$/;
const SEGMENT_LENGTH = 9;

/** @param digits hexadecimal, lower case; the first eight count. */
export function childSessionId(parentId: string, digits: string): string {
  return `${parentId}.${digits.slice(0, SEGMENT_LENGTH - 1)}`;
}

/** Undefined for a root. */
export function parentIdOf(sessionId: string): string | undefined {
  return childSegment.test(sessionId) ? sessionId.slice(0, -SEGMENT_LENGTH) : undefined;
}

/** The session whose log the session's events are in: itself, for a root. */
export function rootIdOf(sessionId: string): string {
  let root = sessionId;
  while (childSegment.test(root)) root = root.slice(0, -SEGMENT_LENGTH);
  return root;
}

/** 0 for a root. */
export function depthOf(sessionId: string): number {
  return (sessionId.length - rootIdOf(sessionId).length) / SEGMENT_LENGTH;
}

/** The parent, its parent, and so on to the root. */
export function ancestorIdsOf(sessionId: string): string[] {
  const ancestors: string[] = [];
  for (let id = parentIdOf(sessionId); id !== undefined; id = parentIdOf(id)) ancestors.push(id);
  return ancestors;
}

export function isDescendant(sessionId: string, ancestorId: string): boolean {
  return sessionId.length > ancestorId.length && ancestorIdsOf(sessionId).includes(ancestorId);
}
