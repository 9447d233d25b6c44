/** The names in an `anthropic-beta` header. */
export function betaNames(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((name) => name.trim());
}
