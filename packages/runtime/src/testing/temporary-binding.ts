import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model } from '../model/model.ts';
import { compilePolicy, type CompilePolicyOptions } from '../permission/compile-policy.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool } from '../tool/tool.ts';
import type { Binding } from '../turn/binding.ts';

export interface TemporaryBindingOptions extends Partial<Omit<Binding, 'model' | 'policy' | 'cwd' | 'tools'>> {
  readonly model: Model;
  readonly tools?: readonly Tool[];
  /** Compiled with the temporary folder as the session's. Every call is allowed where nothing is said. */
  readonly policy?: Omit<CompilePolicyOptions, 'directories'>;
}

export interface TemporaryBinding extends AsyncDisposable {
  readonly binding: Binding;
  /** The session's folder, new and empty, with links followed. Removed at the end of `await using`. */
  readonly folder: string;
}

/** Everything a session needs, in a folder of its own. Retries wait for nothing. */
export async function temporaryBinding(options: TemporaryBindingOptions): Promise<TemporaryBinding> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rondo-test-')));
  const { model, tools = [], policy, ...rest } = options;
  const binding: Binding = {
    agent: { name: 'test', fingerprint: 'test' },
    system: 'You are being tested.',
    unattended: 'wait',
    sandbox: refusingSandbox,
    env: {},
    retry: { baseDelayMs: 0, maxDelayMs: 0, jitter: 0 },
    ...rest,
    model,
    tools,
    cwd: folder,
    policy: compilePolicy({
      tools,
      ...(policy ?? { allowedTools: tools.map(({ name }) => name) }),
      directories: [folder],
    }),
  };
  return { binding, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs nothing: for sessions whose tools need no commands. */
export const refusingSandbox: Sandbox = {
  exec: (command) => Promise.reject(new Error(`the test's sandbox runs nothing; it was asked for: ${command}`)),
  describe: () => ({ name: 'refusing', enforced: ['every command'] }),
};

/** SHA-256 in hexadecimal, as the runtime's parts take it. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
