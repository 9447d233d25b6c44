import type { PermissionBehavior, PermissionMode } from '@rondo/protocol';
import type { ArgumentMatchers } from './argument-matcher.ts';

/** A rule as one layer states it. `content` narrows it: a pattern of shell commands, paths, hosts or names. */
export interface PolicyRule {
  readonly behavior: PermissionBehavior;
  /** A tool's name, also one that it had once; `mcp__server` is every tool of that server; `*` is every call. */
  readonly toolName: string;
  readonly content?: string;
  /** The content holds no pattern, whatever its characters: a `*` in it is a star. */
  readonly literal?: true;
  /** It is about calls with these arguments alone. Not for tools whose calls a `content` describes: commands, paths, addresses. */
  readonly arguments?: ArgumentMatchers;
  /** The rule's text, where it was read otherwise than by its letters. */
  readonly written?: string;
}

/** How the sandbox counts in what may run. That there is one, and what it enforces, is the sandbox's own affair. */
export interface PolicySandbox {
  /** A shell line that runs in it needs no question, unless a deny or ask rule stops it. */
  readonly autoAllow: boolean;
  /** Commands that run outside of it, written like the content of a rule; without `*` with any arguments. */
  readonly excludedCommands: readonly string[];
  /** A call may ask to run outside. Such a call is always a question, unless a rule or bypassing allows it. */
  readonly allowUnsandboxed: boolean;
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
  /** Modes beside it that only narrow: what any of them would ask about or refuse is. Those of the agents above, or its own. */
  readonly narrowedBy?: readonly PermissionMode[];
  /** The session's folder first, then the additional ones; reading below them needs no question. Absolute. */
  readonly directories: readonly string[];
  /** The folder that `~/path` in rules starts from. */
  readonly home?: string;
  /** Absent: commands run in no sandbox that the policy counts on. */
  readonly sandbox?: PolicySandbox;
  /** Absolute paths that are protected beside the known ones, with all below them: settings files, scripts that hooks run. */
  readonly protected?: readonly string[];
  /** `bypassPermissions` may be switched to later; without it that switch is refused. */
  readonly allowsBypass?: true;
  /** There is a classifier, so that `auto` may be switched to. */
  readonly allowsAuto?: true;
}
