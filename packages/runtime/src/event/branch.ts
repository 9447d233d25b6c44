/** What a branch left behind, and how much it kept of what was there before it. */
export interface LeftBehind<Item> {
  readonly kept: number;
  readonly items: readonly Item[];
}

/**
 * Goes on from an earlier item: what stands behind it is left behind. The item may be one that an earlier branch left
 * behind, the newest first; then what led to it is there again. False, with nothing changed, when it is nowhere.
 */
export function branch<Item>(
  current: Item[],
  leftBehind: LeftBehind<Item>[],
  isLast: (item: Item) => boolean,
): boolean {
  let line: readonly Item[] = current;
  let last = line.findLastIndex(isLast);
  for (let index = leftBehind.length - 1; last < 0 && index >= 0; index -= 1) {
    const left = leftBehind[index];
    if (left === undefined) break;
    line = [...line.slice(0, left.kept), ...left.items];
    last = line.findLastIndex(isLast);
  }
  if (last < 0) return false;
  let kept = 0;
  while (kept <= last && kept < current.length && current[kept] === line[kept]) kept += 1;
  if (kept < current.length) leftBehind.push({ kept, items: current.slice(kept) });
  current.splice(kept, current.length - kept, ...line.slice(kept, last + 1));
  return true;
}
