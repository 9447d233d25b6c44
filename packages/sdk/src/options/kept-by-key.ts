/**
 * Makes a value anew only when what it is made of has changed, which the key says. One that cannot be made is not kept. A key is
 * asked for once there is another to compare it with: it says the same then as now.
 */
export function keptByKey<Made>(): (key: () => string, make: () => Promise<Made>) => Promise<Made> {
  let last: { readonly key: () => string; readonly made: Made } | undefined;
  return async (key, make) => {
    if (last !== undefined && last.key() === key()) return last.made;
    const made = await make();
    last = { key, made };
    return made;
  };
}
