import type { PermissionUpdate, PermissionUpdateDestination } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { normalPath } from './lexical-path.ts';
import { noClassifier } from './compile-policy.ts';
import { parseRuleValue, readRuleValue } from './permission-rule.ts';
import { formatPermissionRule } from './print-rule.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';

/**
 * The policy with the updates applied, for the session, whatever their destination: no settings file is written (see
 * `unwrittenUpdates`). Never throws, because updates come from a log too: an allow rule that is none is left out, and a
 * deny or ask rule counts at its widest reading.
 */
export function applyPermissionUpdates(policy: Policy, updates: readonly PermissionUpdate[]): Policy {
  return updates.reduce(applyUpdate, policy);
}

/**
 * Refuses updates that `applyPermissionUpdates` could not apply as they are. Ask before they are stored.
 * @throws RondoError `permission.rule_unsupported` or `permission.bypass_refused`.
 */
export function checkPermissionUpdates(policy: Policy, updates: readonly PermissionUpdate[]): void {
  for (const update of updates) {
    if (update.type === 'setMode') {
      if (update.mode === 'bypassPermissions' && policy.allowsBypass !== true) {
        throw new RondoError(
          'permission.bypass_refused',
          'bypassPermissions was not allowed when the session was started; start it with allowDangerouslySkipPermissions',
        );
      }
      if (update.mode === 'auto' && policy.allowsAuto !== true) throw noClassifier();
    } else if (update.type === 'addRules' || update.type === 'replaceRules') {
      for (const rule of update.rules) parseRuleValue(rule, update.behavior);
    }
  }
}

/** The updates that would have to be written to a settings file to outlive the session. Nothing writes them yet. */
export function unwrittenUpdates(updates: readonly PermissionUpdate[]): PermissionUpdate[] {
  return updates.filter(({ destination }) => destination !== 'session' && destination !== 'cliArg');
}

function applyUpdate(policy: Policy, update: PermissionUpdate): Policy {
  switch (update.type) {
    case 'setMode': {
      const refused =
        (update.mode === 'auto' && policy.allowsAuto !== true) ||
        (update.mode === 'bypassPermissions' && policy.allowsBypass !== true);
      return refused ? policy : { ...policy, mode: update.mode };
    }
    case 'addRules':
      return withRules(policy, update.destination, (rules) => [...rules, ...rulesOf(update)]);
    case 'replaceRules':
      return withRules(policy, update.destination, (rules) => [
        ...rules.filter((rule) => rule.behavior !== update.behavior),
        ...rulesOf(update),
      ]);
    case 'removeRules': {
      const removed = new Set(rulesOf(update).map(identity));
      return withRules(policy, update.destination, (rules) => rules.filter((rule) => !removed.has(identity(rule))));
    }
    case 'addDirectories': {
      const added = update.directories.map((directory) => normalPath(policy.directories[0] ?? '/', directory));
      return { ...policy, directories: [...new Set([...policy.directories, ...added])] };
    }
    case 'removeDirectories': {
      const [folder, ...additional] = policy.directories;
      const removed = new Set(update.directories.map((directory) => normalPath(folder ?? '/', directory)));
      const kept = additional.filter((directory) => !removed.has(directory));
      return { ...policy, directories: folder === undefined ? kept : [folder, ...kept] };
    }
  }
}

type RuleUpdate = Extract<PermissionUpdate, { type: 'addRules' | 'replaceRules' | 'removeRules' }>;

function rulesOf({ rules, behavior }: RuleUpdate): readonly PolicyRule[] {
  return rules.flatMap((rule) => readRuleValue(rule, behavior).rules);
}

function identity(rule: PolicyRule): string {
  return `${rule.behavior} ${formatPermissionRule(rule)}`;
}

function withRules(
  policy: Policy,
  destination: PermissionUpdateDestination,
  change: (rules: readonly PolicyRule[]) => readonly PolicyRule[],
): Policy {
  const source: PolicySource = policy.sources.find(({ name }) => name === destination) ?? {
    name: destination,
    evaluation: 'strictest',
    rules: [],
  };
  const changed = { ...source, rules: change(source.rules) };
  return { ...policy, sources: [...policy.sources.filter((each) => each !== source), changed] };
}
