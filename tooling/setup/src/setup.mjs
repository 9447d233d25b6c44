// Installs the workspace when it is not installed as the lockfile says; otherwise returns at once.
// Runs on the host's own Node, before anything is installed: built-in modules only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const stampFile = join(root, 'node_modules', '.rondo-lockfile');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'pnpm-lock.yaml')))
  .update(readFileSync(join(root, 'pnpm-workspace.yaml')))
  .digest('hex');

if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) process.exit(0);

const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
process.stderr.write('rondo: installing the workspace as its lockfile says\n');
const install = spawnSync('npx', ['--yes', packageManager, 'install', '--frozen-lockfile'], {
  cwd: root,
  // Standard output stays the caller's: a piped `npm -s start` must carry only what the command prints.
  stdio: ['ignore', 2, 2],
  shell: process.platform === 'win32',
});
if (install.error) throw install.error;
if (install.status !== 0) process.exit(install.status ?? 1);
writeFileSync(stampFile, wanted);
