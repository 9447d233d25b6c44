// Runs the command from the checkout, built if its sources changed, in the folder that npm was called in.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const command = join(root, 'apps', 'cli', 'dist', 'rondo.js');

const build = spawnSync('turbo', ['run', 'build', '--filter=@rondo/cli', '--output-logs=errors-only'], {
  cwd: root,
  // Standard output belongs to the command.
  stdio: ['ignore', 'pipe', 2],
  encoding: 'utf8',
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
});
if (build.error) throw build.error;
if (build.status !== 0) {
  process.stderr.write(build.stdout);
  process.exit(build.status ?? 1);
}

process.chdir(process.env.INIT_CWD ?? process.cwd());
process.argv.splice(1, 1, command);
await import(pathToFileURL(command).href);
