/** Values that say the same as leaving the option out. */
export function asksForNothing(value: unknown): boolean {
  if (value === undefined || value === false || value === null) return true;
  if (typeof value !== 'object') return false;
  const entries = Object.entries(value);
  return entries.length === 0 || (entries.length === 1 && entries[0]?.[0] === 'enabled' && entries[0][1] === false);
}
