/** One changed place with its surroundings, as in a unified diff. */
export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

const contextLines = 3;
/** Most lines of a patch; a longer one ends with the last whole hunk before. */
const mostPatchLines = 5000;
/** Beyond this many changed lines the middle is shown as replaced whole: comparing further would take too long. */
const mostChangedLines = 2000;

/** What makes `after` of `before`, both with `\n`. Bounded in time and size, whatever the texts are. */
export async function structuredPatch(before: string, after: string): Promise<readonly PatchHunk[]> {
  const old = linesOf(before);
  const now = linesOf(after);
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  if (head === old.length && head === now.length) return [];

  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  const changes = await compare(removed, added);
  return boundHunks(toHunks(changes, old, head));
}

/** Lines `from` to `to` of the old middle are replaced by `lines`. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

async function compare(removed: readonly string[], added: readonly string[]): Promise<readonly Change[]> {
  const whole = [{ from: 0, to: removed.length, lines: added }];
  if (removed.length <= 1 || added.length <= 1) return whole;
  const { diffArrays } = await import('diff');
  const parts = diffArrays([...removed], [...added], { maxEditLength: mostChangedLines, timeout: 500 });
  if (parts === undefined) return whole;
  const changes: Change[] = [];
  let at = 0;
  let open: { from: number; to: number; lines: string[] } | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      open = undefined;
      at += part.value.length;
      continue;
    }
    if (open === undefined) changes.push((open = { from: at, to: at, lines: [] }));
    if (part.added) open.lines.push(...part.value);
    else {
      at += part.value.length;
      open.to = at;
    }
  }
  return changes;
}

function toHunks(changes: readonly Change[], old: readonly string[], head: number): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let shift = 0;
  for (let index = 0; index < changes.length; ) {
    const group: Change[] = [];
    for (let last: Change | undefined; ; index += 1) {
      const next = changes[index];
      if (next === undefined || (last !== undefined && next.from - last.to > contextLines * 2)) break;
      group.push(next);
      last = next;
    }
    const hunk = toHunk(group, old, head, shift);
    hunks.push(hunk);
    shift += hunk.newLines - hunk.oldLines;
  }
  return hunks;
}

function toHunk(group: readonly Change[], old: readonly string[], head: number, shift: number): PatchHunk {
  const start = Math.max(0, head + (group[0]?.from ?? 0) - contextLines);
  const end = Math.min(old.length, head + (group.at(-1)?.to ?? 0) + contextLines);
  const lines: string[] = [];
  let at = start;
  let added = 0;
  let removed = 0;
  for (const change of group) {
    for (; at < head + change.from; at += 1) lines.push(` ${old[at]}`);
    for (; at < head + change.to; at += 1) lines.push(`-${old[at]}`);
    for (const line of change.lines) lines.push(`+${line}`);
    removed += change.to - change.from;
    added += change.lines.length;
  }
  for (; at < end; at += 1) lines.push(` ${old[at]}`);
  const oldLines = end - start;
  return { oldStart: start + 1, oldLines, newStart: start + shift + 1, newLines: oldLines - removed + added, lines };
}

function boundHunks(hunks: readonly PatchHunk[]): PatchHunk[] {
  let lines = 0;
  return hunks.filter((hunk) => (lines += hunk.lines.length) <= mostPatchLines);
}

/** Without the empty line after a last line break. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
