import type { Settings } from './settings.ts';

/** The files that `settingSources` chooses from. */
export type SettingSource = 'user' | 'project' | 'local';

/** Where a layer comes from. `flag` is `options.settings` or `--settings`; `managed` is an administrator's or a host's policy. */
export type LayerSource = SettingSource | 'flag' | 'managed';

/** Whose managed policy it is: the machine's file, a server's, or that of the program which embeds the runtime. */
export type PolicyOrigin = 'file' | 'server' | 'parent';

/** What one source says, read and checked. Entries that were wrong are left out of `settings` and named in a problem. */
export interface SettingsLayer {
  readonly source: LayerSource;
  /** Of managed layers only. */
  readonly policyOrigin?: PolicyOrigin;
  /** What people call it: its file, `options.settings`, `--settings`. Unique among the layers; the name of its policy source. */
  readonly name: string;
  readonly path?: string;
  /** The family of its file: `.rondo/` or `.claude/`. */
  readonly folder?: 'rondo' | 'claude';
  /** The folder that `/path` in its rules starts from, and that relative scripts of its hooks start from. Absolute. */
  readonly root: string;
  readonly settings: Settings;
  /** SHA-256 of what was written, hexadecimal: changes whenever it may mean something else. */
  readonly hash: string;
}

/**
 * How bad it is. `broken`: nothing of the file can be relied on; a session does not start, and one at work keeps to what
 * the file said last. `error`: the entry does not count. `warning`: it counts, perhaps otherwise than was meant.
 * `notice`: read tolerantly.
 */
export type SettingsSeverity = 'broken' | 'error' | 'warning' | 'notice';

export interface SettingsProblem {
  /** The layer's name. */
  readonly file: string;
  /** `line:column`, both from 1, where it was written as text. */
  readonly place?: string;
  /** With dots: `permissions.deny`. */
  readonly key?: string;
  /** A sentence without its end, such as `takes a list of rules, not {"a":1}`. */
  readonly problem: string;
  /** The right spelling, or another way on. */
  readonly suggestion?: string;
  readonly severity: SettingsSeverity;
}

/** What all sources say, the lowest first. */
export interface LoadedSettings {
  readonly layers: readonly SettingsLayer[];
  /** The worst first. */
  readonly problems: readonly SettingsProblem[];
}

export interface LoadSettingsOptions {
  /** The session's folder, absolute. `.rondo/` and `.claude/` of exactly this folder count. */
  readonly cwd: string;
  /** Rondo's home, absolute: where the user's own settings are. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All three unless given. Managed settings count in any case. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** An object, or a path or JSON as text. */
  readonly flag?: Settings | string | undefined;
  /** What `flag` is called in messages; `options.settings` unless said. */
  readonly flagName?: string | undefined;
  /** The embedding program's policy. Only keys that restrict count. */
  readonly managed?: Settings | undefined;
  /** A server's policy. Every key counts. */
  readonly serverManaged?: Settings | undefined;
  /** Where the administrator's policy is; `/etc/rondo` unless given, which no variable changes. */
  readonly managedFolder?: string | undefined;
}
