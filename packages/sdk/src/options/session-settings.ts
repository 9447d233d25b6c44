import { type CountedSettings, countSettings } from '../settings/counted-settings.ts';
import { openSettings, type OpenSettings } from '../settings/open-settings.ts';
import { isUrgent, problemText, refuseBroken } from '../settings/settings-problem.ts';
import { signatureOf } from '../settings/read-place.ts';
import { createTrustStore } from '../trust/trust-store.ts';
import type { Environment } from './command-environment.ts';
import type { Options } from './options.ts';

export interface SessionSettingsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  readonly note: (text: string) => void;
}

/** What a session's settings say, and how to ask again. */
export interface SessionSettings {
  readonly open: OpenSettings;
  readonly counted: CountedSettings;
  /** What counts of the settings as they are now. */
  recount(): Promise<CountedSettings>;
  /** Another value once somebody has trusted the folder, or taken that back. */
  trustSignature(): string | undefined;
}

/**
 * The settings of a session: read, checked, without what nobody trusts. What a person should know is said at once.
 * @throws RondoError `input.invalid` where a file is broken that may hold rules.
 */
export async function sessionSettings(
  options: Pick<Options, 'managedSettings' | 'settings' | 'settingSources' | 'trustFolder'>,
  place: SessionSettingsOptions,
): Promise<SessionSettings> {
  const { cwd, home, env, note } = place;
  const { settingSources, settings, managedSettings, trustFolder: trusted } = options;
  const open = await openSettings({ cwd, home, env, settingSources, flag: settings, managed: managedSettings });
  const loaded = open.current();
  refuseBroken(loaded);
  for (const problem of loaded.problems) if (isUrgent(problem)) note(problemText(problem));
  const counted = await countSettings(loaded, { cwd, home, trusted });
  if (counted.untrusted !== undefined) note(counted.untrusted);
  let before = counted;
  const trustFile = createTrustStore(home).fileOf(counted.folder);
  return {
    trustSignature: () => (trusted === undefined ? signatureOf(trustFile) : undefined),
    open,
    counted,
    async recount() {
      before = await countSettings(open.current(), { cwd, home, trusted, before });
      return before;
    },
  };
}
