import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandOptions, Execution, Sandbox } from '@rondo/runtime';
import type { IsolatedSandboxOptions } from '../isolated-sandbox-options.ts';
import { createIsolatedSandbox } from '../isolated-sandbox.ts';
import type { SandboxSettings } from '../sandbox-settings.ts';

/** The system's own programs. */
export const systemPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** A session's folder and a home, where nothing else is. */
export interface SandboxPlace extends AsyncDisposable {
  readonly base: string;
  readonly work: string;
  readonly home: string;
  make(settings: SandboxSettings, options?: Partial<IsolatedSandboxOptions>): Promise<Sandbox>;
  run(sandbox: Sandbox, line: string, options?: Partial<CommandOptions>): Promise<Execution>;
  /** Puts a program of this name before the system's, and gives the PATH. */
  withProgram(name: string, script: string): Promise<string>;
}

/** Below /var/tmp, because a sandbox has a /tmp of its own. */
export async function makeSandboxPlace(): Promise<SandboxPlace> {
  const base = await realpath(await mkdtemp('/var/tmp/rondo-isolated-'));
  const [work, home] = [join(base, 'work'), join(base, 'home')];
  await Promise.all([mkdir(work), mkdir(home)]);
  return {
    base,
    work,
    home,
    make: (settings, options) =>
      createIsolatedSandbox({ settings, folders: [work], home, path: systemPath, ...options }),
    run: (sandbox, line, options) =>
      sandbox.exec(line, {
        cwd: work,
        env: { PATH: systemPath, HOME: home },
        signal: new AbortController().signal,
        timeoutMs: 120_000,
        outputLimit: 30_000,
        ...options,
      }),
    async withProgram(name, script) {
      const folder = await mkdtemp(join(base, 'bin-'));
      await writeFile(join(folder, name), script);
      await chmod(join(folder, name), 0o755);
      return `${folder}:${systemPath}`;
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}
