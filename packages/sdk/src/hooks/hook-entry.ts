import type { HookEvent } from '@rondo/runtime';

/** The `hooks` of one settings file or plugin. */
export interface HookSource {
  /** Unique, and the same wherever the session is gone on with: the names of its hooks have it. */
  readonly name: string;
  /** What people call it, such as its path; its name unless given. */
  readonly file?: string | undefined;
  /** As it was written. */
  readonly hooks: unknown;
  /** The folder of the plugin that brings them. */
  readonly pluginRoot?: string | undefined;
}

/** How bad it is. `error`: the hook does not run, or denies. `warning`: it runs, perhaps otherwise than was meant. */
export type HookSeverity = 'error' | 'warning' | 'notice';

export interface HookProblem {
  /** What people call the source. */
  readonly file: string;
  /** With dots: `hooks.PreToolUse[0].hooks[1].timeout`. */
  readonly key: string;
  /** A sentence without its end. */
  readonly problem: string;
  readonly suggestion?: string;
  readonly severity: HookSeverity;
}

/** One hook of settings, before it is known whether it can run. */
export interface HookEntry {
  /** Stable and unique in its session. */
  readonly name: string;
  readonly event: HookEvent;
  readonly matches?: (subject: string) => boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly source: HookSource;
  readonly key: string;
}

export type NoteProblem = (key: string, severity: HookSeverity, problem: string, suggestion?: string) => void;
