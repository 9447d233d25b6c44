import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples');
const limit = 120_000;

/** Each example runs from source, offline, with a home of its own; one that exits non-zero or hangs has failed. */
const stories = globSync('*/main.ts', { cwd: folder }).sort();
let failed = 0;
for (const story of stories) {
  const home = mkdtempSync(join(tmpdir(), 'rondo-example-'));
  const { status, error } = spawnSync(process.execPath, ['--conditions=@rondo/source', story], {
    cwd: folder,
    env: { ...process.env, HOME: home, RONDO_HOME: join(home, '.rondo'), NO_COLOR: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limit,
  });
  rmSync(home, { recursive: true, force: true });
  if (status === 0 && !error) continue;
  failed += 1;
  process.stdout.write(`examples/${story} failed: ${error ? error.message : `exit ${status}`}\n`);
}
if (stories.length === 0) process.stdout.write('examples: none found\n');
process.stdout.write(`examples: ${stories.length - failed} of ${stories.length} ran\n`);
process.exitCode = failed > 0 || stories.length === 0 ? 1 : 0;
