import type { LocalSandboxOptions } from './local-sandbox-options.ts';
import type { SandboxSettings } from './sandbox-settings.ts';

export interface IsolatedSandboxOptions extends LocalSandboxOptions {
  readonly settings: SandboxSettings;
  /** The session's folder first, then the additional ones. Commands may write there. */
  readonly folders: readonly [string, ...string[]];
  /** Whose settings and keys are protected: the home of the person, unless said that of this process. */
  readonly home?: string;
  /** More places that no command may write, such as settings files and the scripts of hooks. Absolute. */
  readonly protected?: readonly string[];
  /** More places that no command may read, such as where sessions are stored. Absolute. */
  readonly hidden?: readonly string[];
  /** Where bubblewrap is looked for; PATH of this process unless said. */
  readonly path?: string;
  /** A command may run outside when its caller says so, whose affair it is to have been allowed to. */
  readonly mayRunOutside?: boolean;
  /** Told what a person should know: that nothing is isolated, what was refused to a command. */
  readonly note?: (text: string) => void;
}
