import { RondoError } from '@rondo/protocol/values';
import type { JudgeChange, LivePolicy, Policy, PolicyChange, PolicyNotice } from '@rondo/runtime';
import type { JudgeSettingsChange, OpenSettings, SettingsChange } from './open-settings.ts';
import type { LoadedSettings, SettingsProblem } from './settings-layer.ts';
import { problemText, worstFirst } from './settings-problem.ts';

/** A live policy whose own changes of the files are no news. */
export interface SettingsPolicyFeed extends LivePolicy {
  /** Takes this one in force, since what it counts on beside the settings has changed. */
  replace(policy: Policy): void;
  /** Has whoever watches the sessions know of it. */
  tell(notice: PolicyNotice): void;
  /** Rondo itself has written the file: that it changed is not told again. */
  wrote(file: string): void;
  /**
   * Puts keys into the settings of the program, as `applyFlagSettings` says; counts for the next call.
   * @throws RondoError `input.invalid` where they cannot be read as meant; nothing changes then.
   */
  setFlag(change: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface LivePolicyOptions {
  readonly settings: OpenSettings;
  readonly first: Policy;
  /** The policy that these settings come to. */
  readonly compile: (
    loaded: LoadedSettings,
  ) => Promise<{ readonly policy: Policy; readonly problems: readonly SettingsProblem[] }>;
  /** Whether hooks are asked about changes of files. */
  readonly isJudged?: () => boolean;
}

/** How hooks know a source. What a program says of itself is no news to it. */
const sources: Readonly<Record<SettingsChange['source'], PolicyChange['source'] | undefined>> = {
  user: 'user_settings',
  project: 'project_settings',
  local: 'local_settings',
  managed: 'policy_settings',
  flag: undefined,
};

/** So many notices are kept for sessions that look seldom. */
const kept = 100;

/**
 * The policy of settings that change while sessions are at work. Whatever goes wrong, the last policy stays in force, and a
 * notice says so.
 */
export function createLivePolicy({
  settings,
  first,
  compile,
  isJudged = () => false,
}: LivePolicyOptions): SettingsPolicyFeed {
  let current = first;
  let count = 0;
  const notices: PolicyNotice[] = [];
  const taken = new Map<string, number>();
  const own = new Set<string>();

  function tell(notice: PolicyNotice): void {
    notices.push(notice);
    count += 1;
    if (notices.length > kept) notices.shift();
  }

  async function apply(changing: Promise<readonly SettingsChange[]>): Promise<void> {
    try {
      const changes = await changing;
      if (changes.length === 0) return;
      const { policy, problems } = await compile(settings.current());
      current = policy;
      for (const change of changes) {
        const isOwn = own.delete(change.file) && change.kind === 'changed' && change.problems.length === 0;
        if (!isOwn) tell(noticeOf(change, problems));
      }
    } catch (error) {
      const message = `The settings have changed and cannot be taken; what could run before still can, and nothing more: ${String(error)}`;
      tell({ level: 'error', message, details: { status: 'settings_held' } });
    }
  }

  function judgeOfFiles(judge: JudgeChange | undefined): JudgeSettingsChange | undefined {
    if (judge === undefined && !isJudged()) return undefined;
    return async ({ source, file, id }) => {
      const named = sources[source];
      if (own.has(file) || named === undefined) return {};
      return await judge?.({ source: named, file, id });
    };
  }

  return {
    current: () => current,
    refresh(judge) {
      const changing = settings.refresh(judgeOfFiles(judge));
      return changing === undefined ? undefined : apply(changing);
    },
    replace: (policy) => void (current = policy),
    tell,
    wrote: (file) => void own.add(file),
    async setFlag(change) {
      const changes = await settings.setFlag(change);
      const held = changes.filter(({ kind }) => kind === 'held').flatMap(({ problems }) => problems);
      if (held.length > 0) throw new RondoError('input.invalid', held.map(problemText).join('\n'));
      await apply(Promise.resolve(changes));
    },
    takeNotices(rootId) {
      if (count === 0) return [];
      const since = taken.get(rootId) ?? 0;
      taken.set(rootId, count);
      return since === count ? [] : notices.slice(Math.max(0, notices.length - (count - since)));
    },
  };
}

function noticeOf({ kind, file, problems }: SettingsChange, ofRules: readonly SettingsProblem[]): PolicyNotice {
  const [worst, ...others] = worstFirst([...problems, ...ofRules.filter((problem) => problem.file === file)]);
  const more = others.length === 0 ? '' : ` (${others.length} more: \`rondo settings\`)`;
  const said = worst === undefined ? '' : ` ${problemText(worst)}${more}`;
  const details = { file, ...(worst?.place === undefined ? {} : { place: worst.place }) };
  if (kind === 'held') {
    return {
      level: 'error',
      message: `${worst === undefined ? `${file} cannot be relied on.` : said.trim()} What it said before stays in force, and nothing that it says now is allowed.`,
      details: { status: 'settings_held', ...details },
    };
  }
  return {
    level: worst === undefined ? 'info' : 'warning',
    message: `${file} has changed; from now on its rules count as they are.${said}`,
    details: { status: 'settings_changed', ...details },
  };
}
