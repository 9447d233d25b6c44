/** Freezes a value and everything in it that is plain data, so that a later change throws where it is made. */
export function freezeDeep<Value>(value: Value): Value {
  const pending: unknown[] = [value];
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const current = pending.pop();
    if (typeof current !== 'object' || current === null || ArrayBuffer.isView(current) || seen.has(current)) continue;
    seen.add(current);
    Object.freeze(current);
    for (const member of Object.values(current)) pending.push(member);
  }
  return value;
}
