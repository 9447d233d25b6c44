import { RondoError } from '@rondo/protocol/values';
import type { CountedSettings } from '../settings/counted-settings.ts';
import type { Environment } from './command-environment.ts';
import { loadSandboxes } from './load-package.ts';

export interface KeyHelper {
  /** A shell line that prints a key. */
  readonly command: string;
  /** Where it is written: a file's path, or an option's name. */
  readonly from: string;
  /** Where it runs. */
  readonly cwd: string;
}

/** The helper of the settings that count. */
export function keyHelperOf({ settings, origins }: CountedSettings, cwd: string): KeyHelper | undefined {
  const { apiKeyHelper: command } = settings;
  if (command === undefined || command.trim() === '') return undefined;
  return { command, from: origins.get('apiKeyHelper')?.layers.at(-1)?.name ?? 'the settings', cwd };
}

const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const;
const lifetimeVariable = 'CLAUDE_CODE_API_KEY_HELPER_TTL_MS';
const defaultLifetimeMs = 5 * 60_000;
const timeoutMs = 30_000;

const printed = new Map<string, { readonly key: string; readonly until: number }>();

/**
 * The environment of a model's adapter with the key that a helper of the settings prints, where the environment has
 * none. What it printed holds for five minutes, or as long as `CLAUDE_CODE_API_KEY_HELPER_TTL_MS` says.
 * @throws RondoError `model.key_missing` when the helper fails or prints nothing.
 */
export async function withKeyOf(helper: KeyHelper | undefined, env: Environment): Promise<Environment> {
  if (helper === undefined || keyVariables.some((name) => (env[name] ?? '').trim() !== '')) return env;
  const id = JSON.stringify([helper.command, helper.cwd]);
  const known = printed.get(id);
  if (known !== undefined && known.until > Date.now()) return { ...env, ANTHROPIC_API_KEY: known.key };
  const key = await runHelper(helper, env);
  printed.set(id, { key, until: Date.now() + lifetimeOf(env) });
  return { ...env, ANTHROPIC_API_KEY: key };
}

function lifetimeOf(env: Environment): number {
  const milliseconds = Number(env[lifetimeVariable] ?? Number.NaN);
  return Number.isFinite(milliseconds) && milliseconds >= 0 ? milliseconds : defaultLifetimeMs;
}

async function runHelper({ command, from, cwd }: KeyHelper, env: Environment): Promise<string> {
  const { runProcess } = await loadSandboxes();
  const { exitCode, signal, stdout, stderr, timedOut } = await runProcess({
    command,
    cwd,
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    timeoutMs,
    signal: new AbortController().signal,
    outputLimit: 64 * 1024,
  });
  const key = stdout.trim();
  if (exitCode === 0 && key !== '') return key;
  const how = timedOut
    ? `did not end within ${timeoutMs / 1000} s`
    : exitCode === 0
      ? 'printed nothing'
      : `ended with ${exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`}`;
  const said = stderr.trim() === '' ? '' : `: ${stderr.trim().slice(0, 500)}`;
  throw new RondoError(
    'model.key_missing',
    `apiKeyHelper of ${from} ${how}${said}. Repair it, or set ANTHROPIC_API_KEY.`,
    { details: { provider: 'anthropic', variables: [...keyVariables] } },
  );
}
