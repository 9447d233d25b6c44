import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { Effort } from '@rondo/runtime';
import { settingsTable } from '../settings/settings-table.ts';

/** Settings that a session at work takes from its program. */
const served: ReadonlySet<string> = new Set([
  'permissions',
  'hooks',
  'disableAllHooks',
  'env',
  'sandbox',
  'model',
  'models',
  'apiKeyHelper',
  'effortLevel',
  'alwaysThinkingEnabled',
  'ultracode',
]);

/** Settings that this version does not serve at all: to take one silently would promise what does not happen. */
const later: Readonly<Record<string, string>> = {
  agent: 'agents of settings',
  skillOverrides: 'skills',
  fastMode: 'faster replies',
  outputStyle: 'output styles',
  enabledPlugins: 'plugins',
  extraKnownMarketplaces: 'plugins',
  pluginConfigs: 'plugins',
  mcpServers: 'MCP servers of settings; setMcpServers() changes those of the program',
  fallbackModel: 'another fallback model in the middle of a session',
};

const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Refuses keys that cannot be changed while a session is at work. What only shapes the system prompt, or another program's
 * looks, is taken and changes nothing: a session keeps the prompt that it began with. To clear a key, or to switch off what
 * is not served, is always possible.
 */
export function checkFlagSettings(change: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined || value === null || value === false || served.has(key)) continue;
    if (key === 'outputStyle' && value === 'default') continue;
    const spec = Object.hasOwn(settingsTable, key) ? settingsTable[key] : undefined;
    if (spec?.effect === 'neutral' && spec.managedOnly !== true) continue;
    throw invalid(key, whyNot(key, spec?.managedOnly === true));
  }
}

function whyNot(key: string, isManaged: boolean): string {
  if (isManaged) return 'counts only where managed settings say it';
  const what = Object.hasOwn(later, key) ? later[key] : undefined;
  if (what !== undefined) return `cannot be changed: this version does not serve ${what}`;
  if (Object.hasOwn(settingsTable, key))
    return `cannot be changed while a session is at work; ${[...served].join(', ')} can`;
  const [nearest] = nearestNames(key, [...served]);
  return `is no setting${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/**
 * What a change says of the effort: undefined where it says nothing, null where it takes it back. `ultracode` is `xhigh`.
 */
export function changedEffort(change: Readonly<Record<string, unknown>>): Effort | null | undefined {
  const { effortLevel, ultracode } = change;
  if (ultracode === true || effortLevel === 'ultracode') return 'xhigh';
  if (effortLevel === undefined) return ultracode === undefined ? undefined : null;
  if (effortLevel === null) return null;
  const effort = efforts.find((each) => each === effortLevel);
  if (effort !== undefined) return effort;
  throw invalid('effortLevel', `takes ${efforts.join(', ')} or ultracode, not ${JSON.stringify(effortLevel)}`);
}

/** The effort that settings name; what is none is left to others. */
export function effortOf(settings: { readonly [key: string]: unknown }): Effort | undefined {
  if (settings['ultracode'] === true) return 'xhigh';
  return efforts.find((each) => each === settings['effortLevel']);
}

function invalid(key: string, problem: string): RondoError {
  return new RondoError('input.invalid', `query.applyFlagSettings(): ${key} ${problem}.`, {
    details: { method: 'applyFlagSettings', key },
  });
}
