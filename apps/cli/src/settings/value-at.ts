/** What stands at a key with dots, such as `permissions.deny`; undefined where nothing does. */
export function valueAt(settings: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Readonly<Record<string, unknown>>)[name];
  }, settings);
}
