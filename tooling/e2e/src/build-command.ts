import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..', '..');
const binaries = join(root, 'node_modules', '.bin');

declare module 'vitest' {
  interface ProvidedContext {
    /** The built command, as users get it. */
    readonly builtCommand: string;
  }
}

/**
 * Builds the command before the scenarios run, so that those which start a process start what users get. They start a
 * copy: another build, in another terminal, must not take the program away from under them.
 */
export default function buildCommand({ provide }: TestProject): () => void {
  execFileSync(join(binaries, 'turbo'), ['run', 'build', '--filter=@rondo/cli', '--output-logs=errors-only'], {
    cwd: root,
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const copy = mkdtempSync(join(tmpdir(), 'rondo-built-'));
  for (const name of ['package.json', 'dist']) {
    cpSync(join(root, 'apps', 'cli', name), join(copy, name), { recursive: true });
  }
  linkOptional(copy);
  provide('builtCommand', join(copy, 'dist', 'rondo.js'));
  return () => rmSync(copy, { recursive: true, force: true });
}

/** What an installation puts beside the command: it is loaded from there, not bundled. */
function linkOptional(copy: string): void {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(optionalDependencies)) {
    const link = join(copy, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'apps', 'cli', 'node_modules', name), link);
  }
}
