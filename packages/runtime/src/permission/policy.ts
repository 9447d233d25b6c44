import type { PermissionBehavior, PermissionMode } from '@rondo/protocol';

/** A rule as one layer states it. `content` narrows it: an exact shell line, or a path. */
export interface PolicyRule {
  readonly behavior: PermissionBehavior;
  /** Exactly a tool's name; `mcp__server` is every tool of that server; `*`, which only compiled policies hold, is every call. */
  readonly toolName: string;
  readonly content?: string;
  /** The content holds no pattern, whatever its characters: a `*` in it is a star. */
  readonly literal?: true;
}

/**
 * Rules that are judged together. `strictest`: of all that match, deny beats ask beats allow. `ordered`: the first that
 * matches. The `fallback` counts only when no source of the policy speaks, and then instead of the question.
 */
export interface PolicySource {
  /** Where it comes from, for people: `allowedTools`, `session`, a file's path. */
  readonly name: string;
  readonly evaluation: 'strictest' | 'ordered';
  readonly rules: readonly PolicyRule[];
  readonly fallback?: PermissionBehavior;
  /** The folder that `/path` in its rules starts from; the session's folder unless said. */
  readonly root?: string;
}

/** What may run, as one value. Both faces compile to it. */
export interface Policy {
  readonly sources: readonly PolicySource[];
  readonly mode: PermissionMode;
  /** The session's folder first, then the additional ones; reading below them needs no question. Absolute. */
  readonly directories: readonly string[];
  /** The folder that `~/path` in rules starts from. */
  readonly home?: string;
  /** `bypassPermissions` may be switched to later; without it that switch is refused. */
  readonly allowsBypass?: true;
}
