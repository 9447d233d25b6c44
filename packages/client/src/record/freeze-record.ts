/**
 * The value with everything in it frozen: what a handle gives out is a fact and stays as it was. A part that is frozen
 * already is taken to be frozen to its depths.
 */
export function freezeRecord<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freezeRecord(member);
  return value;
}
