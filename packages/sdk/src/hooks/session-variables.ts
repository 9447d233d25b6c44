import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSandboxes } from '../options/load-package.ts';

/**
 * What `SessionStart` and `Setup` hooks add to the environment of later commands: they append lines such as
 * `export NAME=value` to the file that `CLAUDE_ENV_FILE` names.
 */
export interface SessionVariablesFile {
  readonly path: string;
  /** What its lines set, as a shell reads them; beside `env`, which they may use. */
  read(env: Readonly<Record<string, string>>, options: ReadOptions): Promise<Readonly<Record<string, string>>>;
  remove(): Promise<void>;
}

export interface ReadOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** The shell sets these by itself. */
const ofTheShell = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'RONDO_COMMAND']);

export async function openSessionVariables(): Promise<SessionVariablesFile> {
  const path = join(tmpdir(), `rondo-env-${randomUUID()}`);
  await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  return {
    path,
    remove: () => rm(path, { force: true }),
    async read(env, { cwd, signal }) {
      if ((await readFile(path, 'utf8')).trim() === '') return {};
      const { runProcess } = await loadSandboxes();
      const outcome = await runProcess({
        command: 'set -a; . "$RONDO_ENV_FILE" >/dev/null && env -0',
        cwd,
        env: { ...env, RONDO_ENV_FILE: path },
        timeoutMs: 10_000,
        signal,
        outputLimit: 4 * 1024 ** 2,
      });
      if (outcome.exitCode === 0 && outcome.droppedBytes.stdout === 0) return changes(outcome.stdout, env);
      throw new Error(`the lines in CLAUDE_ENV_FILE could not be read by a shell: ${outcome.stderr.trim()}`);
    },
  };
}

function changes(listing: string, env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const added: Record<string, string> = {};
  for (const line of listing.split('\0')) {
    const at = line.indexOf('=');
    const name = line.slice(0, at);
    if (at <= 0 || ofTheShell.has(name) || name === 'RONDO_ENV_FILE') continue;
    const value = line.slice(at + 1);
    if (env[name] !== value) added[name] = value;
  }
  return added;
}
