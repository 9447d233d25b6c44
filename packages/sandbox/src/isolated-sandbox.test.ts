import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isRondoError } from '@rondo/protocol';
import type { CommandOptions } from '@rondo/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IsolatedSandboxOptions } from './isolated-sandbox-options.ts';
import { createIsolatedSandbox } from './isolated-sandbox.ts';
import { findProgram } from './linux/find-program.ts';
import { probeBubblewrap } from './linux/probe-bubblewrap.ts';

const path = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
const canIsolate = process.platform === 'linux' && (await probeBubblewrap({ path, sharedProc: false, folders: [] })).ok;
const hasNetwork = canIsolate && (await findProgram('socat', { path })) !== undefined;

let base: string;
let work: string;
let home: string;
beforeAll(async () => {
  // Not below /tmp, which a sandbox has its own of.
  base = await realpath(await mkdtemp('/var/tmp/rondo-isolated-'));
  [work, home] = [join(base, 'work'), join(base, 'home')];
  for (const folder of ['work/sub', 'home/.ssh', 'other', 'hidden/shown'])
    await mkdir(join(base, folder), { recursive: true });
  await writeFile(join(base, 'hidden/secret'), 'secret');
  await writeFile(join(base, 'hidden/shown/file'), 'shown');
  await writeFile(join(home, '.ssh/known_hosts'), 'known');
});
afterAll(() => rm(base, { recursive: true, force: true }));

function sandboxOf(options: Partial<IsolatedSandboxOptions> = {}) {
  return createIsolatedSandbox({ settings: { enabled: true }, folders: [work], home, path, ...options });
}

function commandOptions(options: Partial<CommandOptions> = {}): CommandOptions {
  const signal = new AbortController().signal;
  return { cwd: work, env: { PATH: path, HOME: home }, signal, timeoutMs: 60_000, outputLimit: 30_000, ...options };
}

async function refusalOf(options: Partial<IsolatedSandboxOptions>): Promise<string> {
  try {
    await sandboxOf(options);
  } catch (error) {
    if (isRondoError(error, 'sandbox.unavailable')) return error.message;
    throw error;
  }
  return 'it was made';
}

/** A folder with a program bwrap that fails as the real one does where something is forbidden. */
async function failingBubblewrap(message: string): Promise<string> {
  const folder = await mkdtemp(join(base, 'bin-'));
  await writeFile(join(folder, 'bwrap'), `#!/bin/sh\ncat >&2 <<'END'\nbwrap: ${message}\nEND\nexit 1\n`);
  await chmod(join(folder, 'bwrap'), 0o755);
  return `${folder}:${path}`;
}

describe.skipIf(process.platform !== 'linux')('where it cannot be enforced, a sandbox', () => {
  it('is refused with what to install', async () => {
    const message = await refusalOf({ path: join(base, 'other') });
    expect(message).toContain('bubblewrap (the program bwrap) is not installed');
    expect(message).toContain('apt-get install bubblewrap');
    expect(message).toContain('failIfUnavailable');
  });

  it.each([
    ['No permissions to create new namespace', 'apparmor_restrict_unprivileged_userns'],
    ['setting up uid map: Permission denied', 'apparmor_restrict_unprivileged_userns'],
    ["Can't mount proc on /newroot/proc: Operation not permitted", 'enableWeakerNestedSandbox'],
    ['Unknown option --json-status-fd', 'run bwrap by hand'],
  ])('is refused with what to change: %s', async (message, way) => {
    expect(await refusalOf({ path: await failingBubblewrap(message) })).toContain(way);
  });

  it('runs commands without, when that is wished, and says so', async () => {
    const notes: string[] = [];
    const settings = { enabled: true, failIfUnavailable: false };
    const sandbox = await sandboxOf({ path: join(base, 'other'), settings, note: (text) => notes.push(text) });
    expect(notes.join()).toContain('WITHOUT a sandbox');
    expect(sandbox.describe()).toMatchObject({ enforced: [] });
    expect(await sandbox.exec('echo ran', commandOptions())).toMatchObject({ stdout: 'ran\n' });
  });

  it('is not looked for where commands may write', async () => {
    const folder = join(work, 'bin');
    await mkdir(folder);
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\n', { mode: 0o755 });
    expect(await refusalOf({ path: `${folder}:bin:.` })).toContain('is not installed');
  });
});

/** Where there is no bubblewrap, the tests say that they were skipped. */
describe.skipIf(!canIsolate)('a sandboxed command', { timeout: 60_000 }, () => {
  it('says what it may not do, on whom that depends, and nothing of how', async () => {
    const notes: string[] = [];
    const sandbox = await sandboxOf({ mayRunOutside: true, note: (text) => notes.push(text) });
    expect(sandbox.describe().enforced.length).toBeGreaterThan(5);
    const execution = await sandbox.exec(`echo x > ${base}/other/file`, commandOptions());
    expect(execution.refusals?.[0]).toBe(`The sandbox refused writing ${base}/other/file.`);
    expect(execution.refusals?.[1]).toContain('dangerouslyDisableSandbox');
    const network = await sandbox.exec('curl -sS http://example.test', commandOptions());
    expect(network.refusals?.[0]).toBe('The sandbox refused the network: example.test.');
    expect(await sandbox.exec('false', commandOptions())).not.toHaveProperty('refusals');
    const quiet = await sandboxOf({ settings: { ignoreViolations: { file: [`${base}/other/*`] } } });
    expect(await quiet.exec(`echo x > ${base}/other/file`, commandOptions())).not.toHaveProperty('refusals');
  });

  it('runs outside only where the sandbox was made for that, and its caller says so', async () => {
    const line = `echo x > ${base}/other/outside`;
    const kept = await (await sandboxOf()).exec(line, commandOptions({ outside: true }));
    expect(kept.exitCode).not.toBe(0);
    const open = await sandboxOf({ mayRunOutside: true });
    expect((await open.exec(line, commandOptions({ outside: false }))).exitCode).not.toBe(0);
    expect(await open.exec(line, commandOptions({ outside: true }))).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(base, 'other/outside'), 'utf8')).toBe('x\n');
  });

  it('writes where allowWrite says, reads what allowRead says, and the deeper place counts', async () => {
    const filesystem = {
      allowWrite: ['../other'],
      denyRead: ['../hidden'],
      allowRead: ['../hidden/shown', '~/.ssh'],
    };
    const sandbox = await sandboxOf({ settings: { filesystem } });
    const read = await sandbox.exec(
      'cat ../hidden/shown/file ~/.ssh/known_hosts; ls ../hidden; cat ../hidden/secret',
      commandOptions(),
    );
    expect(read.stdout).toBe('shownknownshown\n');
    const written = await sandbox.exec(
      'echo y > ../other/file && echo y > sub/file; touch ../hidden/shown/new',
      commandOptions(),
    );
    expect(written.stderr).toContain('Read-only');
    expect(await readFile(join(base, 'other/file'), 'utf8')).toBe('y\n');
  });

  it('has the folders that its session has now', async () => {
    const sandbox = await sandboxOf();
    const line = 'echo z > ../other/now';
    expect((await sandbox.exec(line, commandOptions())).exitCode).not.toBe(0);
    const folders = [work, join(base, 'other')];
    expect(await sandbox.exec(line, commandOptions({ folders }))).toMatchObject({ exitCode: 0 });
  });

  it('shares a /tmp with those of its sandbox only, and leaves nothing in its folder', async () => {
    const [one, other] = [await sandboxOf(), await sandboxOf()];
    await one.exec('echo mine > /tmp/note', commandOptions());
    expect(await one.exec('cat /tmp/note', commandOptions())).toMatchObject({ stdout: 'mine\n' });
    expect((await other.exec('cat /tmp/note', commandOptions())).exitCode).not.toBe(0);
    const during = await one.exec(
      'ls -A; mkdir -p .rondo/x',
      commandOptions({ env: { PATH: path, TMPDIR: '/var/tmp' } }),
    );
    expect(during.stdout).toContain('.rondo');
    expect(existsSync(join(work, '.rondo'))).toBe(false);
    expect(existsSync(join(work, '.mcp.json'))).toBe(false);
  });

  it('may end itself on SIGTERM, and is ended with all that it started', async () => {
    const sandbox = await sandboxOf({ graceMs: 2000 });
    const polite = 'trap "echo cleaned; exit 9" TERM; (setsid sleep 7311 &) ; echo up; while :; do sleep 0.02; done';
    expect(await sandbox.exec(polite, commandOptions({ timeoutMs: 500 }))).toMatchObject({
      timedOut: true,
      stdout: 'up\ncleaned\n',
    });
    const deaf = 'trap "" TERM; (trap "" TERM; setsid sleep 7311 &); while :; do sleep 0.02; done';
    const rude = await sandboxOf({ graceMs: 100 });
    expect(await rude.exec(deaf, commandOptions({ timeoutMs: 300 }))).toMatchObject({ timedOut: true });
    const left = await sandbox.exec('setsid sleep 7311 & sleep 7311 & echo ok', commandOptions());
    expect(left).toMatchObject({ stdout: 'ok\n', exitCode: 0, timedOut: false });
    expect(isRunning('sleep 7311')).toBe(false);
  });

  it('does not run at all where its sandbox cannot be set up, and the model is not told why', async () => {
    const notes: string[] = [];
    const folder = await mkdtemp(join(base, 'bin-'));
    const real = await findProgram('bwrap', { path });
    // Works when it is tried out, and no more.
    const program = `#!/bin/sh\nif [ -e ${folder}/tried ]; then echo 'bwrap: no such luck' >&2; exit 1; fi\n: > ${folder}/tried\nexec ${real} "$@"\n`;
    await writeFile(join(folder, 'bwrap'), program, { mode: 0o755 });
    const sandbox = await sandboxOf({ path: `${folder}:${path}`, note: (text) => notes.push(text) });
    const failure: unknown = await sandbox.exec('echo ran', commandOptions()).catch((error: unknown) => error);
    if (!isRondoError(failure, 'sandbox.unavailable')) throw new Error('it ran');
    expect(failure.message).toBe('The command did not run, because the sandbox could not be set up for it.');
    expect(notes.join()).toContain('no such luck');
  });

  it('has no sandbox inside: a runtime in it is refused one, with the reason', async () => {
    const program = join(work, 'nested.mjs');
    const entry = pathToFileURL(join(import.meta.dirname, 'isolated-sandbox.ts')).href;
    await writeFile(
      program,
      `import { createIsolatedSandbox } from ${JSON.stringify(entry)};
       const made = createIsolatedSandbox({ settings: {}, folders: ['/nowhere'], path: ${JSON.stringify(path)} });
       console.log(await made.then(() => 'made', (error) => error.code + ' ' + error.message));`,
    );
    // The checkout may itself be below /tmp.
    const checkout = join(import.meta.dirname, '..', '..', '..');
    const sandbox = await sandboxOf({ folders: [work, checkout] });
    const line = `${process.execPath} --conditions=@rondo/source ${program}`;
    const { stdout, stderr } = await sandbox.exec(line, commandOptions());
    expect(stdout + stderr).toContain('sandbox.unavailable');
    expect(stdout).toContain('inside a sandbox they cannot be had');
  });

  it.skipIf(!hasNetwork)('reaches the hosts that are allowed and no others', async () => {
    const server = createServer((_, response) => response.end('served'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const sandbox = await sandboxOf({ settings: { network: { allowedDomains: ['localhost'] } } });
    const get = (url: string) => sandbox.exec(`NO_PROXY= no_proxy= curl -sS -m 20 ${url}`, commandOptions());
    expect(await get(`http://localhost:${port}`)).toMatchObject({ stdout: 'served' });
    const denied = await get('https://denied.test');
    expect(denied.exitCode).not.toBe(0);
    expect(denied.refusals?.[1]).toContain('only allowed hosts');
    const direct = await sandbox.exec(`curl -sS --noproxy '*' -m 5 http://127.0.0.1:${port}`, commandOptions());
    expect(direct.exitCode).not.toBe(0);
    const capabilities = await sandbox.exec(
      'grep CapEff /proc/self/status; python3 -c "import socket; socket.socket(socket.AF_UNIX)"',
      commandOptions(),
    );
    expect(capabilities.stdout).toContain('CapEff:\t0000000000000000');
    expect(capabilities.stderr).toContain('Operation not permitted');
    server.close();
  });
});

function isRunning(text: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').includes(text);
    } catch {
      return false;
    }
  });
}
