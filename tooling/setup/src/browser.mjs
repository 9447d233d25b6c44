// Puts a browser on the machine for the tests that need one, where that can be done unasked: on Debian and its kin, as
// root. Elsewhere it says what to do, and those tests say that they were not run.
// Runs on the host's own Node, before anything is installed: built-in modules only.
import { spawnSync } from 'node:child_process';
import { findBrowser } from './find-browser.mjs';

if (findBrowser() === undefined) install();

function install() {
  const packages = ['chromium-headless-shell', 'chromium'];
  const isRoot = process.getuid?.() === 0;
  if (process.platform === 'linux' && isRoot && succeeds('apt-get', ['--version'])) {
    process.stderr.write('rondo: installing a headless Chromium for the tests that need a browser\n');
    for (const name of packages) if (installs(name)) return;
    succeeds('apt-get', ['update', '-qq']);
    for (const name of packages) if (installs(name)) return;
  }
  process.stderr.write(
    'rondo: no Chromium was found, so the tests that need a browser are not run. Install one ' +
      '(Debian: apt-get install chromium), or name it in RONDO_BROWSER.\n',
  );
}

function installs(name) {
  return succeeds('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name]) && findBrowser() !== undefined;
}

function succeeds(command, args) {
  const { status } = spawnSync(command, args, {
    // Standard output stays the caller's.
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}
