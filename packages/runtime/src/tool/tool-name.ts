const LONGEST = 256;

/**
 * Whether a tool may be called so: by letters of any script, digits, `_`, `-` and `.`, as permission rules name it.
 * What a provider does not take of these, models know under an alias.
 */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= LONGEST && /^[\p{L}\p{M}\p{N}_.-]+$/u.test(name);
}
