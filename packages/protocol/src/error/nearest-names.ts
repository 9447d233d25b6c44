/** The names that `name` may have been meant to be, nearest first; for errors that say the way on. */
export function nearestNames(name: string, names: readonly string[], limit = 5): readonly string[] {
  const wanted = name.toLowerCase();
  const farthest = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** How many characters must be put in, taken out or changed to make one text of the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const above = row;
    row = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const change = (above[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      row.push(Math.min(change, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}
