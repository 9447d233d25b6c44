import { type CountedSettings, countSettings } from '../settings/counted-settings.ts';
import { openSettings, type OpenSettings } from '../settings/open-settings.ts';
import { isUrgent, problemText, refuseBroken } from '../settings/settings-problem.ts';
import { signatureOf } from '../settings/read-place.ts';
import { createTrustStore } from '../trust/trust-store.ts';
import type { Environment } from './command-environment.ts';
import type { OpeningMoment } from './opening-moment.ts';
import type { Options } from './options.ts';

export interface SessionSettingsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  readonly note: (text: string) => void;
  /** Shared with the sessions that open right now. */
  readonly moment?: OpeningMoment | undefined;
}

/** What a session's settings say, and how to ask again. */
export interface SessionSettings {
  readonly open: OpenSettings;
  readonly counted: CountedSettings;
  /** What counts of the settings as they are now. */
  recount(): Promise<CountedSettings>;
  /** The look as the session opened still holds: so little time has gone by since. */
  isFresh(): boolean;
  /** What `look` finds, together with the sessions that open right now and have the same settings. */
  together<Found>(what: string, look: () => Found): Found;
  /** `trustSignature()` as the session opened. */
  readonly trust: string | undefined;
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
  const { cwd, home, env, note, moment } = place;
  const { settingSources, settings, managedSettings, trustFolder: trusted } = options;
  const look = async (): Promise<FirstLook> => {
    const open = await openSettings({ cwd, home, env, settingSources, flag: settings, managed: managedSettings });
    const loaded = open.current();
    refuseBroken(loaded);
    const counted = await countSettings(loaded, { cwd, home, trusted });
    const trustFile = createTrustStore(home).fileOf(counted.folder);
    const trustSignature = () => (trusted === undefined ? signatureOf(trustFile) : undefined);
    return { open, counted, trustSignature, trust: trustSignature() };
  };
  const isPlain = settings === undefined && managedSettings === undefined && trusted === undefined;
  const shared = isPlain ? moment : undefined;
  const name =
    shared === undefined ? '' : JSON.stringify([cwd, home, env['HOME'], env['CLAUDE_CONFIG_DIR'], settingSources]);
  const first = await (shared?.once(`settings ${name}`, look) ?? look());
  const open = shared === undefined ? first.open : first.open.another();
  const { counted, trust, trustSignature } = first;
  const loaded = open.current();
  for (const problem of loaded.problems) if (isUrgent(problem)) note(problemText(problem));
  if (counted.untrusted !== undefined) note(counted.untrusted);
  let before = counted;
  return {
    open,
    counted,
    trust,
    trustSignature,
    isFresh: () => shared?.isOver() === false,
    together: (what, find) =>
      shared !== undefined && open.current() === loaded ? shared.once(`${what} ${name}`, find) : find(),
    async recount() {
      before = await countSettings(open.current(), { cwd, home, trusted, before });
      return before;
    },
  };
}

/** What is the same for all sessions that open in one moment with the same settings. */
interface FirstLook extends Pick<SessionSettings, 'counted' | 'open' | 'trust' | 'trustSignature'> {}
