import type { Policy, PolicySandbox, Tool } from '@rondo/runtime';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { createLivePolicy, type SettingsPolicyFeed } from '../settings/live-policy.ts';
import { isUrgent, problemText } from '../settings/settings-problem.ts';
import type { Environment } from './command-environment.ts';
import type { Options } from './options.ts';
import type { SessionSettings } from './session-settings.ts';
import { settingsPolicy } from './settings-policy.ts';

export interface SessionPolicyFeedOptions {
  readonly options: Options;
  readonly settings: SessionSettings;
  /** The session's folder first. */
  readonly folders: readonly [string, ...string[]];
  /** The process's own environment. */
  readonly env: Environment;
  readonly tools: readonly Tool[];
  /** How the session's sandbox counts at first. */
  readonly isolation: PolicySandbox | undefined;
  /** What no call changes unasked, as it is now. */
  readonly protectedNow: () => readonly string[];
  /** Whether hooks are asked about changes of files. */
  readonly isJudged: () => boolean;
  readonly note: (text: string) => void;
}

/** What a session may do at first, and what follows when its settings change. */
export interface SessionPolicyFeed {
  readonly first: Policy;
  readonly live: SettingsPolicyFeed;
  /** What counts of the settings now. */
  counted(): CountedSettings;
  /** Looks, as a turn begins, at what has changed since: the settings, and what is trusted of them. */
  refresh(): Promise<void>;
  /** From now on commands run in a sandbox that counts so. */
  isolate(isolation: PolicySandbox | undefined): void;
}

/** @throws RondoError `permission.rule_unsupported`, `permission.bypass_refused`. */
export function sessionPolicyFeed(feed: SessionPolicyFeedOptions): SessionPolicyFeed {
  const { options, settings, folders, env, tools, protectedNow, isJudged, note } = feed;
  let current = settings.counted;
  let { isolation } = feed;
  const compile = (mode?: Policy['mode']): ReturnType<typeof settingsPolicy> =>
    settingsPolicy({
      options,
      folders,
      env,
      tools,
      sandbox: isolation,
      files: protectedNow(),
      counted: current,
      ...(mode === undefined ? {} : { mode }),
    });
  let { trust } = settings;
  let isFirstTurn = true;
  const { policy, problems } = compile();
  for (const problem of problems) if (isUrgent(problem)) note(problemText(problem));
  const live = createLivePolicy({
    settings: settings.open,
    first: policy,
    isJudged,
    async compile() {
      const told = current.untrusted;
      current = await settings.recount();
      const { untrusted } = current;
      if (untrusted !== undefined && untrusted !== told)
        live.tell({ level: 'warning', message: untrusted, details: { status: 'folder_untrusted' } });
      return compile(policy.mode);
    },
  });
  return {
    first: policy,
    live,
    counted: () => current,
    async refresh() {
      const isLookedAt = isFirstTurn && settings.isFresh();
      isFirstTurn = false;
      if (isLookedAt) return;
      await live.refresh();
      const trustNow = settings.trustSignature();
      if (trustNow === trust) return;
      trust = trustNow;
      current = await settings.recount();
      live.replace(compile(policy.mode).policy);
    },
    isolate(next) {
      if (JSON.stringify(next) === JSON.stringify(isolation)) return;
      isolation = next;
      live.replace(compile(policy.mode).policy);
    },
  };
}
