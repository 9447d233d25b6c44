// Puts on the machine what some tests need of it, where that can be done unasked: on Debian and its kin, as root.
// Elsewhere it says what to do, and those tests say that they were not run.
// Runs on the host's own Node, before anything is installed: built-in modules only.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findBrowser } from './find-browser.mjs';

/** `packages`: the first that the machine offers is enough. */
const needs = [
  {
    what: 'a headless Chromium',
    for: 'a browser',
    packages: ['chromium-headless-shell', 'chromium'],
    wayOn: 'Install one (Debian: apt-get install chromium), or name it in RONDO_BROWSER.',
    isThere: () => findBrowser() !== undefined,
  },
  ...['bubblewrap', 'socat'].map((name) => ({
    what: name,
    for: `a sandbox with ${name}`,
    packages: [name],
    wayOn: `Install it (Debian: apt-get install ${name}).`,
    isThere: () => process.platform !== 'linux' || isProgram(name === 'bubblewrap' ? 'bwrap' : name),
  })),
];

const missing = needs.filter((need) => !need.isThere());
if (missing.length > 0) {
  const isRoot = process.getuid?.() === 0;
  const installs = process.platform === 'linux' && isRoot && succeeds('apt-get', ['--version']);
  for (const need of missing) provide(need, installs);
}

function provide(need, canInstall) {
  if (canInstall) {
    process.stderr.write(`rondo: installing ${need.what} for the tests that need ${need.for}\n`);
    if (need.packages.some((name) => install(name, need))) return;
    updateLists();
    if (need.packages.some((name) => install(name, need))) return;
  }
  process.stderr.write(
    `rondo: ${need.what} was not found, so the tests that need ${need.for} are not run. ${need.wayOn}\n`,
  );
}

function install(name, need) {
  return succeeds('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name]) && need.isThere();
}

function updateLists() {
  if (updateLists.isDone) return;
  updateLists.isDone = true;
  succeeds('apt-get', ['update', '-qq']);
}

function isProgram(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)));
}

function succeeds(command, args) {
  const { status } = spawnSync(command, args, {
    // Standard output stays the caller's.
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}
