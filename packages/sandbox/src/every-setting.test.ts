import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { isRondoError } from '@rondo/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { findProgram } from './linux/find-program.ts';
import { probeBubblewrap } from './linux/probe-bubblewrap.ts';
import type * as proxyLibrary from './network/proxy-library.ts';
import { makeSandboxPlace, systemPath, type SandboxPlace } from './testing/sandbox-place.ts';

const libraries = vi.hoisted(() => ({
  library: undefined as string | undefined,
  blocker: undefined as string | undefined,
}));
vi.mock('./network/proxy-library.ts', async (original) => {
  const real = await original<typeof proxyLibrary>();
  return {
    ...real,
    findProxyLibrary: () => (libraries.library === '' ? undefined : real.findProxyLibrary()),
    findSocketBlocker: () => (libraries.blocker === '' ? undefined : (libraries.blocker ?? real.findSocketBlocker())),
  };
});

const canIsolate =
  process.platform === 'linux' && (await probeBubblewrap({ path: systemPath, sharedProc: false, folders: [] })).ok;
const hasRelay =
  canIsolate &&
  (await findProgram('socat', { path: systemPath })) !== undefined &&
  (await findProgram('setpriv', { path: systemPath })) !== undefined;

let place: SandboxPlace;
const servers: Server[] = [];
beforeAll(async () => {
  place = await makeSandboxPlace();
});
afterEach(() => {
  libraries.library = undefined;
  libraries.blocker = undefined;
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => place[Symbol.asyncDispose]());

/** A server that says this to whoever comes and sends something. */
function serve(where: string | number, answer: (request: Buffer) => string | Buffer): Promise<number> {
  const server = createServer((socket) =>
    socket.on('error', () => undefined).on('data', (request) => socket.write(answer(request))),
  );
  servers.push(server);
  return new Promise((resolve) => {
    const listening = () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    };
    if (typeof where === 'string') server.listen(where, listening);
    else server.listen(where, '127.0.0.1', listening);
  });
}

const served = (text: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`;
const connectTo = (path: string) =>
  `python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect('${path}'); s.send(b'x'); print(s.recv(99))"`;

async function refusalOf(making: Promise<unknown>): Promise<string> {
  return making.then(
    () => 'it was made',
    (error: unknown) => (isRondoError(error, 'sandbox.unavailable') ? error.message : String(error)),
  );
}

const allowed = { network: { allowedDomains: ['allowed.test'] } };

describe.skipIf(!hasRelay)('allowed domains', { timeout: 120_000 }, () => {
  it.each([
    ['the package @anthropic-ai/sandbox-runtime', 'npm install', { library: '' }],
    ['apply-seccomp', 'npm install', { blocker: '' }],
  ])('are refused at once without %s', async (what, way, missing) => {
    Object.assign(libraries, missing);
    const message = await refusalOf(place.make(allowed));
    expect(message).toContain(what);
    expect(message).toContain(way);
  });

  it.each(['socat', 'setpriv'])('are refused at once without the program %s', async (name) => {
    const folder = join(place.base, `without-${name}`);
    mkdirSync(folder);
    for (const other of ['bwrap', 'socat', 'setpriv', 'bash']) {
      const program = await findProgram(other, { path: systemPath });
      if (other !== name && program !== undefined) symlinkSync(program, join(folder, other));
    }
    const message = await refusalOf(place.make(allowed, { path: folder }));
    expect(message).toContain(`the program ${name}`);
    expect(message).toContain('apt-get install');
  });

  it('are shut, and the rest is enforced, where the way to them is missing and nothing has to be available', async () => {
    libraries.library = '';
    const notes: string[] = [];
    const settings = { ...allowed, failIfUnavailable: false };
    const sandbox = await place.make(settings, { note: (text) => notes.push(text) });
    expect(notes.join()).toContain('commands have NO network');
    expect(notes.join()).toContain('@anthropic-ai/sandbox-runtime');
    expect(sandbox.describe().enforced).toContain('network');
    const execution = await place.run(
      sandbox,
      `curl -sS -m 5 http://allowed.test; echo x > ${place.base}/file; cat /proc/net/dev`,
    );
    expect(execution.stderr).toContain('Read-only');
    expect(execution.stdout).toContain('lo:');
    expect(execution.stdout).not.toContain('eth');
    expect(existsSync(join(place.base, 'file'))).toBe(false);
  });

  it('are reached where all the programs lie in a place that the sandbox hides', async () => {
    const hidden = join(place.base, 'hidden');
    mkdirSync(hidden);
    for (const name of ['socat', 'setpriv']) cpSync(`/usr/bin/${name}`, join(hidden, name), { dereference: true });
    const { findSocketBlocker } = await import('./network/proxy-library.ts');
    const blocker = findSocketBlocker();
    if (blocker === undefined) throw new Error('the package has no helper');
    libraries.blocker = join(hidden, 'apply-seccomp');
    cpSync(blocker, libraries.blocker, { dereference: true });
    const port = await serve(0, () => served('by the proxy'));
    const settings = { network: { httpProxyPort: port }, filesystem: { denyRead: [hidden] } };
    const sandbox = await place.make(settings, { path: `${hidden}:${systemPath}` });
    const { stdout, stderr } = await place.run(
      sandbox,
      `ls ${hidden}; curl -sS http://any.test; ${connectTo('/nowhere')}`,
    );
    expect(stdout).toBe('by the proxy');
    expect(stderr).toContain('Permission denied');
    expect(stderr).toContain('Operation not permitted');
  });

  it("go by a proxy of the person's own, which then decides, and there is no other way", async () => {
    const port = await serve(0, (request) => served(`asked for ${String(request).split(' ', 2)[1]}`));
    const direct = await serve(0, () => served('direct'));
    const sandbox = await place.make({ network: { httpProxyPort: port } });
    const line = `curl -sS http://any.test/page; curl -sS --noproxy '*' -m 5 http://127.0.0.1:${direct}`;
    const execution = await place.run(sandbox, line);
    expect(execution.stdout).toBe('asked for http://any.test/page');
    expect(execution.exitCode).not.toBe(0);
  });

  it("go by a SOCKS proxy of the person's own", async () => {
    const asked: string[] = [];
    const port = await serve(0, (request) => {
      if (request[0] !== 5) return served('through SOCKS');
      if (request.length < 5) return Buffer.from([5, 0]);
      asked.push(request.toString('latin1', 5, 5 + (request[4] ?? 0)));
      return Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    });
    const sandbox = await place.make({ network: { socksProxyPort: port } });
    expect(await place.run(sandbox, 'curl -sS http://socks.test')).toMatchObject({ stdout: 'through SOCKS' });
    expect(asked).toEqual(['socks.test']);
  });
});

describe.skipIf(!canIsolate)('the setting', { timeout: 120_000 }, () => {
  it('allowUnixSockets lets commands reach those, and not the others that there are', async () => {
    const [open, shut] = [join(place.base, 'open.sock'), join(place.base, 'shut.sock')];
    await serve(open, () => 'open');
    await serve(shut, () => 'shut');
    const sandbox = await place.make({ network: { allowUnixSockets: [open] } });
    const { stdout, stderr } = await place.run(sandbox, `${connectTo(open)}; ${connectTo(shut)}`);
    expect(stdout).toBe("b'open'\n");
    expect(stderr).toContain('Connection refused');
    expect(sandbox.describe().enforced).not.toContain('Unix sockets');
  });

  it('allowAllUnixSockets lets commands reach all with a path, and describe() says so', async () => {
    const path = join(place.base, 'all.sock');
    await serve(path, () => 'reached');
    const sandbox = await place.make({ network: { allowAllUnixSockets: true } });
    expect(await place.run(sandbox, connectTo(path))).toMatchObject({ stdout: "b'reached'\n" });
    expect(sandbox.describe().notEnforced).toContain('Unix sockets can be reached');
    const closed = await place.make({});
    expect((await place.run(closed, connectTo(path))).stderr).toContain('Operation not permitted');
  });

  it('allowLocalBinding is not needed for a loopback of its own, which reaches nobody', async () => {
    const line =
      "python3 -c \"import socket; s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); s.accept()[0].send(b'mine'); print(c.recv(9))\"";
    for (const allowLocalBinding of [false, true]) {
      const sandbox = await place.make({ network: { allowLocalBinding } });
      expect(await place.run(sandbox, line)).toMatchObject({ stdout: "b'mine'\n" });
    }
  });

  it('enableWeakerNestedSandbox shows the processes around, and lets them alone', async () => {
    const sandbox = await place.make({ enableWeakerNestedSandbox: true });
    const line = `test -d /proc/${process.pid} && echo seen; kill -0 ${process.pid} && echo signalled`;
    expect(await place.run(sandbox, line)).toMatchObject({ stdout: 'seen\n' });
    expect(sandbox.describe().notEnforced).toContain('the list of the processes around is visible');
  });

  it.each([
    [{ file: ['/var/tmp/*'] }, false],
    [{ touch: ['/var/tmp/*'] }, false],
    [{ '*': ['*'] }, false],
    [{ file: ['/elsewhere/*'] }, true],
    [{ network: ['*'] }, true],
    [{ mkdir: ['/var/tmp/*'] }, true],
  ])(
    'ignoreViolations %o leaves out of the report what it names, and lets nothing through',
    async (ignoreViolations, isTold) => {
      const sandbox = await place.make({ ignoreViolations });
      const execution = await place.run(sandbox, `touch ${place.base}/ignored`);
      expect(execution.refusals !== undefined).toBe(isTold);
      expect(existsSync(join(place.base, 'ignored'))).toBe(false);
    },
  );
});

describe.skipIf(!canIsolate)('where it cannot be had, a sandbox', { timeout: 120_000 }, () => {
  /** bubblewrap, started where what it needs is forbidden in this way. */
  const within = async (outer: string) => {
    const real = await findProgram('bwrap', { path: systemPath });
    return place.withProgram('bwrap', `#!/bin/sh\nexec ${real} ${outer} ${real} "$@"\n`);
  };

  it('is refused where the kernel gives no more user namespaces', async () => {
    const limits = '/proc/sys/user/max_user_namespaces';
    const real = await findProgram('bwrap', { path: systemPath });
    const inner = `echo 0 > ${limits} && exec ${real} "$@"`;
    const path = await place.withProgram(
      'bwrap',
      `#!/bin/sh\nexec unshare -Ur --mount-proc --fork --pid sh -c '${inner}' sh "$@"\n`,
    );
    const message = await refusalOf(place.make({}, { path }));
    expect(message).toContain('does not let bubblewrap make namespaces');
    expect(message).toContain('user.max_user_namespaces');
  });

  it('is refused in a bubblewrap that hides parts of /proc, unless a weaker one is wished, which then works', async () => {
    const path = await within('--unshare-user --unshare-pid --dev-bind / / --proc /proc --ro-bind /proc/sys /proc/sys');
    const message = await refusalOf(place.make({}, { path }));
    expect(message).toContain('bubblewrap may not mount a fresh /proc');
    expect(message).toContain('enableWeakerNestedSandbox');
    const sandbox = await place.make({ enableWeakerNestedSandbox: true }, { path });
    const execution = await place.run(sandbox, `echo x > ${place.base}/nested; echo ran`);
    expect(execution.stdout).toBe('ran\n');
    expect(existsSync(join(place.base, 'nested'))).toBe(false);
  });

  it('is set up again where something vanished that was to be mounted', async () => {
    const real = await findProgram('bwrap', { path: systemPath });
    const tried = join(place.base, 'tried');
    const path = await place.withProgram(
      'bwrap',
      `#!/bin/sh\nif [ "$(cat ${tried} 2>/dev/null)" = xx ]; then printf y >> ${tried}; echo "bwrap: Can't create file at /x: Read-only file system" >&2; exit 1; fi\nprintf x >> ${tried}\nexec ${real} "$@"\n`,
    );
    const sandbox = await place.make({}, { path });
    expect(await place.run(sandbox, 'echo ran')).toMatchObject({ stdout: 'ran\n', stderr: '' });
    expect(await place.run(sandbox, 'echo ran')).toMatchObject({ stdout: 'ran\n', stderr: '' });
    expect(readFileSync(tried, 'utf8')).toBe('xxyx');
  });

  it('says what an old bubblewrap cannot do, and works with it', async () => {
    const real = await findProgram('bwrap', { path: systemPath });
    const path = await place.withProgram(
      'bwrap',
      `#!/bin/sh\nfor each; do case $each in --*bind-fd) echo "bwrap: Unknown option $each" >&2; exit 1 ;; esac; done\nexec ${real} "$@"\n`,
    );
    const sandbox = await place.make({}, { path });
    expect(sandbox.describe().notEnforced?.join()).toContain('bubblewrap is too old');
    expect(await place.run(sandbox, 'echo x > mine && cat mine')).toMatchObject({ stdout: 'x\n' });
  });
});

describe.skipIf(!canIsolate)('while another command moves its folders, a command', { timeout: 120_000 }, () => {
  it('writes nowhere else', async () => {
    const outside = join(place.base, 'outside');
    const nested = join(place.work, 'nested');
    mkdirSync(outside);
    mkdirSync(join(outside, '.git/hooks'), { recursive: true });
    mkdirSync(join(nested, '.git/hooks'), { recursive: true });
    // A bubblewrap before whose eyes the folder becomes a link, after everything was looked at.
    const real = await findProgram('bwrap', { path: systemPath });
    const moved = join(place.work, 'moved');
    const path = await place.withProgram(
      'bwrap',
      `#!/bin/sh\ncase "$*" in *${nested}*) mv ${nested} ${moved}; ln -s ../outside ${nested} ;; esac\nexec ${real} "$@"\n`,
    );
    const sandbox = await place.make({}, { path });
    const line = 'echo x > nested/file; echo x > nested/.git/hooks/file; echo x > ../outside/file';
    await place.run(sandbox, line).catch((error: unknown) => {
      if (!isRondoError(error, 'sandbox.unavailable')) throw error;
    });
    expect(existsSync(join(outside, 'file'))).toBe(false);
    expect(existsSync(join(outside, '.git/hooks/file'))).toBe(false);
  });

  it('has what a link was replaced by put aside where it is, and nothing elsewhere touched', async () => {
    const [kept, elsewhere] = [join(place.work, 'kept'), join(place.base, 'elsewhere')];
    mkdirSync(kept);
    mkdirSync(join(elsewhere, '.claude'), { recursive: true });
    writeFileSync(join(elsewhere, '.claude/settings.json'), 'old');
    symlinkSync(elsewhere, join(kept, 'there'));
    mkdirSync(join(kept, '.git'));
    symlinkSync('../elsewhere-settings', join(kept, '.claude'));
    mkdirSync(join(place.work, 'elsewhere-settings'));
    const sandbox = await place.make({}, { folders: [place.work, kept] });
    const execution = await place.run(
      sandbox,
      'rm kept/.claude; mkdir kept/.claude; echo new > kept/.claude/settings.json',
    );
    expect(execution.refusals?.join()).toContain(`put back the link ${join(kept, '.claude')}`);
    expect(existsSync(join(kept, '.claude/settings.json'))).toBe(false);
    renameSync(kept, join(place.work, 'away'));
    expect(readFileSync(join(elsewhere, '.claude/settings.json'), 'utf8')).toBe('old');
  });
});
