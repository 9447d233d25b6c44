export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable without white space around it; one that is empty counts as not set. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
