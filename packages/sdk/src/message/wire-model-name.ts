/**
 * How a resolved model is named in the second seed's messages: `claude-…` as its programs know it, any other model with
 * its provider. Both can be given back as `options.model`.
 */
export function wireModelName(resolved: string): string {
  return resolved.startsWith('anthropic/claude-') ? resolved.slice('anthropic/'.length) : resolved;
}
