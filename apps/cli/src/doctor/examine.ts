import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isRondoError } from '@rondo/protocol/values';
import { resolveHome } from '@rondo/runtime/node';
import {
  getFolderTrust,
  getModelSettings,
  resolveSettings,
  type ResolvedSettings,
  type SettingsProblem,
  settingsProblemText,
} from '@rondo/sdk';
import { describeModels } from '../models/describe-models.ts';
import { localServers } from '../models/local-servers.ts';
import type { Finding } from './finding.ts';

export interface Examined {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Looks at everything that a session here would need, each for itself: what cannot be found out is said and stops nothing. */
export async function examine(examined: Examined): Promise<Finding[]> {
  const checks: Readonly<Record<string, (given: Examined) => Finding | Promise<Finding>>> = {
    Node: () => examineNode(process.versions.node),
    Home: examineHome,
    Models: examineModels,
    Settings: examineSettings,
    Rules: examineRules,
    Hooks: examineHooks,
    Trust: examineTrust,
    Sandbox: examineSandbox,
    Search: examineSearch,
    Shell: examineShell,
  };
  return await Promise.all(
    Object.entries(checks).map(async ([about, check]) => {
      try {
        return await check(examined);
      } catch (error) {
        return { about, state: 'problem', says: [error instanceof Error ? error.message : String(error)] };
      }
    }),
  );
}

/** The oldest Node that every package runs on. */
const oldestNode: readonly [number, number] = [22, 13];

export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return { about: 'Node', state: 'ok', says: [version] };
  const fix = `Install Node ${oldestNode.join('.')} or newer.`;
  return { about: 'Node', state: 'problem', says: [`${version} is older than ${oldestNode.join('.')}`], fix };
}

function examineHome({ env }: Examined): Finding {
  const home = resolveHome(env);
  if (!existsSync(home)) return { about: 'Home', state: 'ok', says: [`${home}, made with the first session`] };
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      about: 'Home',
      state: 'problem',
      says: [`${home} cannot be written`],
      fix: 'Make it yours, or name another folder in RONDO_HOME.',
    };
  }
  const { mode } = statSync(home);
  const sessions = sessionsIn(home);
  const says = [`${home}, ${sessions} session${sessions === 1 ? '' : 's'}`];
  if (process.platform === 'win32' || (mode & 0o077) === 0) return { about: 'Home', state: 'ok', says };
  return {
    about: 'Home',
    state: 'notice',
    says: [...says, 'others on this machine may look into it'],
    fix: `chmod 700 ${home}`,
  };
}

/** Sessions lie in folders of months below `sessions`; whatever else is there is none. */
function sessionsIn(home: string): number {
  try {
    return readdirSync(join(home, 'sessions'), { recursive: true }).filter((name) => String(name).endsWith('log.jsonl'))
      .length;
  } catch {
    return 0;
  }
}

async function examineModels({ env }: Examined): Promise<Finding> {
  const [effective, found, { hostedServers }] = await Promise.all([
    getModelSettings(),
    localServers(env),
    import('@rondo/providers/openai-compatible'),
  ]);
  const report = describeModels({ env, effective, found, hosted: hostedServers, filter: '' });
  const keys = report.providers
    .filter(({ keyFrom }) => keyFrom !== null)
    .map(({ name, keyFrom }) => `${name}: key from ${keyFrom}`);
  const servers = found.map(({ title, baseUrl }) => `${title} at ${baseUrl}`);
  const model = `runs by default: ${report.default.model ?? report.default.problem ?? report.default.alias}`;
  if (keys.length + servers.length > 0) return { about: 'Models', state: 'ok', says: [model, ...keys, ...servers] };
  return {
    about: 'Models',
    state: 'notice',
    says: [model, 'no key is set, and no server was found on this machine'],
    fix: 'Set a key such as ANTHROPIC_API_KEY, or start a local server; `rondo models` tells which. `rondo demo` needs neither.',
  };
}

async function examineSettings({ cwd, env }: Examined): Promise<Finding> {
  const settings: ResolvedSettings = await resolveSettings({ cwd, env });
  const { problems, sources } = settings;
  const files = sources.map(({ source, path }) => (path === undefined ? source : `${source}: ${path}`));
  const said = problems.map(({ file, place, key, problem, suggestion }) => {
    const at = place === undefined ? file : `${file}:${place}`;
    return `${at}: ${key === undefined ? '' : `${key} `}${problem}${suggestion === undefined ? '' : `; ${suggestion}`}`;
  });
  if (problems.length === 0) return { about: 'Settings', state: 'ok', says: files.length === 0 ? ['none'] : files };
  const isBroken = problems.some(({ severity }) => severity === 'broken' || severity === 'error');
  return {
    about: 'Settings',
    state: isBroken ? 'problem' : 'notice',
    says: [...files, ...said],
    fix: 'Correct what is named; `rondo settings` shows what counts and where it comes from.',
  };
}

async function examineRules({ cwd, env }: Examined): Promise<Finding> {
  const { ruleProblems, effective } = await resolveSettings({ cwd, env });
  const { deny = [], ask = [], allow = [] } = effective.permissions ?? {};
  const says = [`${deny.length} deny, ${ask.length} ask, ${allow.length} allow`];
  const fix =
    'Correct what is named; `rondo permissions list` shows every rule, `rondo permissions explain` what one decides.';
  return { about: 'Rules', ...judged(ruleProblems, says, fix) };
}

async function examineHooks({ cwd, env }: Examined): Promise<Finding> {
  const { hookProblems, effective } = await resolveSettings({ cwd, env });
  const events = Object.keys(effective.hooks ?? {});
  const says = [events.length === 0 ? 'none' : `at ${events.join(', ')}`];
  return { about: 'Hooks', ...judged(hookProblems, says, 'Correct what is named, in the file that is named.') };
}

/** An error is a problem: something does not count, or stops calls, that somebody relies on. */
function judged(problems: readonly SettingsProblem[], says: readonly string[], fix: string): Omit<Finding, 'about'> {
  if (problems.length === 0) return { state: 'ok', says };
  const isBroken = problems.some(({ severity }) => severity === 'error' || severity === 'broken');
  return { state: isBroken ? 'problem' : 'notice', says: [...says, ...problems.map(settingsProblemText)], fix };
}

async function examineTrust({ cwd }: Examined): Promise<Finding> {
  const { parts, message } = await getFolderTrust({ cwd });
  if (parts.length === 0)
    return { about: 'Trust', state: 'ok', says: ['this folder brings in nothing that would have to be trusted'] };
  const says = parts.map(
    ({ name, state }) =>
      `${name}: ${state === 'trusted' ? 'trusted' : state === 'new' ? 'not trusted' : 'changed since it was trusted'}`,
  );
  if (message === undefined) return { about: 'Trust', state: 'ok', says };
  return { about: 'Trust', state: 'notice', says, fix: 'Look at it, and trust it, with `rondo trust`.' };
}

/** What a sandbox would hold commands to here, whether settings ask for one or not. */
async function examineSandbox({ cwd, env }: Examined): Promise<Finding> {
  const { effective } = await resolveSettings({ cwd, env });
  const isWanted = effective.sandbox?.enabled === true;
  const { createIsolatedSandbox } = await import('@rondo/sandbox');
  try {
    const sandbox = await createIsolatedSandbox({
      settings: { ...effective.sandbox, enabled: true, failIfUnavailable: true },
      folders: [cwd],
    });
    const { name, enforced, notEnforced = [] } = sandbox.describe();
    return {
      about: 'Sandbox',
      state: 'ok',
      says: [
        isWanted ? `on: ${name}` : `off; there could be one: ${name}`,
        ...enforced.map((what) => `enforced: ${what}`),
        ...notEnforced.map((what) => `not enforced: ${what}`),
      ],
      ...(isWanted ? {} : { fix: 'Switch it on with {"sandbox": {"enabled": true}} in your settings.' }),
    };
  } catch (error) {
    if (!isRondoError(error, 'sandbox.unavailable')) throw error;
    const { reason, way } = error.details as { readonly reason: string; readonly way: string };
    return {
      about: 'Sandbox',
      state: isWanted ? 'problem' : 'notice',
      says: [`${isWanted ? 'wanted, and not possible' : 'off, and not possible'} here: ${reason}`],
      fix: `To have one, ${way}.`,
    };
  }
}

async function examineSearch({ env }: Examined): Promise<Finding> {
  const { findRipgrep } = await import('@rondo/tools');
  try {
    return { about: 'Search', state: 'ok', says: [`ripgrep at ${await findRipgrep(env['PATH'])}`] };
  } catch (error) {
    return {
      about: 'Search',
      state: 'problem',
      says: ['Grep and Glob find no ripgrep'],
      fix: (error as Error).message,
    };
  }
}

function examineShell({ env }: Examined): Finding {
  const found = ['bash', 'sh'].map((name) => programOn(env['PATH'], name)).find((path) => path !== undefined);
  if (found !== undefined) return { about: 'Shell', state: 'ok', says: [found] };
  return {
    about: 'Shell',
    state: 'problem',
    says: ['neither bash nor sh is on the PATH'],
    fix: 'Put one there: the Bash tool runs with it.',
  };
}

function programOn(path: string | undefined, name: string): string | undefined {
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
