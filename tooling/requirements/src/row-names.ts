const idShape = /^[a-z]+(?:\.[A-Za-z\d]+)+$/;

/**
 * The rows that a title names: at its head, separated by commas, before a colon or alone.
 * `session.id, turn.id: both are strings` names two. A title that speaks of `turn.ended events` names none.
 */
export function rowNames(title: string, areas: ReadonlySet<string>): readonly string[] {
  const names = headOf(title).split(/[,;] /);
  const isRow = (name: string): boolean => idShape.test(name) && areas.has(name.slice(0, name.indexOf('.')));
  return isRow(names[0] ?? '') ? names : [];
}

const headOf = (title: string): string => title.split(': ', 1)[0] ?? '';

/** Rows after a title's head, where nobody counts them. */
export function rowsOutOfPlace(title: string, ids: ReadonlySet<string>): readonly string[] {
  const rest = ids.has(headOf(title).split(/[,;] /)[0] ?? '') ? title.slice(headOf(title).length) : title;
  const words = rest.match(/[a-z]+(?:\.[A-Za-z\d]+){2,}/g) ?? [];
  return words.filter((word) => ids.has(word));
}
