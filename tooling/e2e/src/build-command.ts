import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const binaries = join(root, 'node_modules', '.bin');

/** Builds the command before the scenarios run, so that those which start a process start what users get. */
export default function buildCommand(): void {
  execFileSync(join(binaries, 'turbo'), ['run', 'build', '--filter=@rondo/cli', '--output-logs=errors-only'], {
    cwd: root,
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
