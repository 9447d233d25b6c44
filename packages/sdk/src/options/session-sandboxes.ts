import type { PolicySandbox, Sandbox } from '@rondo/runtime';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { keptByKey } from './kept-by-key.ts';
import { loadSandbox, policySandbox } from './load-sandbox.ts';
import type { Options } from './options.ts';
import { sandboxSettingsOf } from './sandbox-settings-of.ts';

export interface SessionSandboxesOptions {
  readonly options: Pick<Options, 'sandbox'>;
  /** The session's folder first. */
  readonly folders: readonly [string, ...string[]];
  readonly home: string | undefined;
  /** What no command may write, as it is now. Absolute. */
  readonly protectedNow: () => readonly string[];
  readonly note: (text: string) => void;
}

/** Where commands run, and how the policy counts on that. */
export interface SessionSandbox {
  readonly sandbox: Sandbox;
  readonly isolation: PolicySandbox | undefined;
}

/** The sandbox that the settings ask for: the same one while they ask for the same. @throws RondoError `sandbox.unavailable`. */
export function sessionSandboxes({ options, folders, home, protectedNow, note }: SessionSandboxesOptions) {
  const kept = keptByKey<SessionSandbox>();
  return (counted: CountedSettings): Promise<SessionSandbox> => {
    const settings = sandboxSettingsOf(counted, options.sandbox, folders[0]);
    const isOn = settings?.enabled === true;
    const places = isOn ? protectedNow() : [];
    return kept(isOn ? () => JSON.stringify([settings, places]) : () => '', async () => {
      const sandbox = await loadSandbox({ settings, folders, home, protected: places, note });
      return { sandbox, isolation: policySandbox(settings, sandbox) };
    });
  };
}
