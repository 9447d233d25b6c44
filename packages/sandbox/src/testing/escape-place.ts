import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** A part of a machine that a command must not get at, with everything by which it would be seen that it did. */
export interface EscapePlace extends AsyncDisposable {
  /** The session's folder, a git repository. */
  readonly work: string;
  /** Beside it, to be seen and not to be written. `file` in it says `old`. */
  readonly outside: string;
  readonly home: string;
  /** Stands in every file, variable and answer that must not be read. */
  readonly secret: string;
  /** A process of the person's own, with the secret in its environment. */
  readonly victim: ChildProcess & { readonly pid: number };
  readonly tcpPort: number;
  readonly udpPort: number;
  /** A path socket outside, one inside, and an abstract one; each of them answers with the secret. */
  readonly sockets: { readonly outside: string; readonly inside: string; readonly datagram: string };
  readonly abstractSocket: string;
  /** The name of a file that is not to come into being in the machine's own /tmp or /dev/shm. */
  readonly canary: string;
  /** A file with the secret in the machine's own /tmp. */
  readonly temporaryFile: string;
  /** Whether something reached a server, or the socket for datagrams, since it was asked last. */
  reached(): Promise<boolean>;
  /** What could be written where nothing may, since the place was made: empty while every wall stands. */
  damage(): Promise<readonly string[]>;
}

/** Below /var/tmp, because a sandbox has a /tmp of its own. */
export async function makeEscapePlace(): Promise<EscapePlace> {
  const base = await mkdtemp('/var/tmp/rondo-escape-');
  await chmod(base, 0o755);
  const secret = `secret-${randomUUID()}`;
  const [work, outside, home] = [join(base, 'work'), join(base, 'outside'), join(base, 'home')];
  const temporaryFile = join('/tmp', `${secret.slice(0, 16)}-file`);
  const canary = `rondo-escape-${secret.slice(-12)}`;
  const canaries = ['/tmp', '/dev/shm'].map((folder) => join(folder, canary));
  await fill({ work, outside, home, secret, temporaryFile });
  const victim = spawn('sleep', ['7301'], {
    env: { PATH: process.env['PATH'], RONDO_SECRET: secret },
    stdio: 'ignore',
  });
  if (victim.pid === undefined) throw new Error('sleep does not start');

  let hits = 0;
  const answer = () =>
    createServer((socket) => {
      hits += 1;
      socket
        .on('error', () => undefined)
        .resume()
        .end(secret);
    });
  const sockets = {
    outside: join(base, 'outside.sock'),
    inside: join(work, 'inside.sock'),
    datagram: join(base, 'd.sock'),
  };
  const abstractSocket = `rondo-${secret}`;
  const servers = [answer(), answer(), answer(), answer()] as const;
  await listen(servers[0], { port: 0, host: '::' });
  await listen(servers[1], { path: sockets.outside });
  await listen(servers[2], { path: sockets.inside });
  await listen(servers[3], { path: `\0${abstractSocket}` });
  const datagrams = createSocket('udp4', () => (hits += 1));
  const knock = () => Promise.all([...servers.map(connectTo), sendTo(datagrams)]);
  await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve));
  const address = servers[0].address();

  return {
    work,
    outside,
    home,
    secret,
    victim: victim as EscapePlace['victim'],
    tcpPort: typeof address === 'object' && address !== null ? address.port : 0,
    udpPort: datagrams.address().port,
    sockets,
    abstractSocket,
    canary,
    temporaryFile,
    async reached() {
      // What came before us has been taken in once we were.
      const own = await knock();
      const reached = hits > own.length;
      hits = 0;
      return reached;
    },
    damage: async () =>
      (await Promise.all([...guarded({ work, outside, home }), ...canaries.map(absent)].map(changed))).flat(),
    async [Symbol.asyncDispose]() {
      victim.kill('SIGKILL');
      datagrams.close();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      await Promise.all([temporaryFile, ...canaries].map((path) => rm(path, { force: true })));
      // An attempt may have shut it.
      await chmod(join(work, 'nested'), 0o755).catch(() => undefined);
      await rm(base, { recursive: true, force: true });
    },
  };
}

interface Folders {
  readonly work: string;
  readonly outside: string;
  readonly home: string;
}

async function fill({
  work,
  outside,
  home,
  secret,
  temporaryFile,
}: Folders & { secret: string; temporaryFile: string }) {
  const folders = [
    outside,
    join(home, '.ssh'),
    join(work, 'kept'),
    join(work, 'sub/deep'),
    join(work, 'hidden'),
    join(work, 'nested'),
  ];
  for (const folder of folders) await mkdir(folder, { recursive: true });
  await Promise.all([makeRepository(work), makeRepository(join(work, 'nested'))]);
  await mkdir(join(work, '.git/modules/part/hooks'), { recursive: true });
  await writeFile(join(work, '.git/modules/part/config'), 'old');
  await mkdir(join(outside, '.claude'));
  for (const path of [
    join(outside, 'file'),
    join(outside, '.claude/settings.json'),
    join(work, 'kept/file'),
    join(work, 'sub/deep/kept'),
  ]) {
    await writeFile(path, 'old');
  }
  for (const path of ['hidden/secret', 'nested/.env', 'sub/a.key']) await writeFile(join(work, path), secret);
  await writeFile(join(home, '.ssh/id_rsa'), secret);
  await writeFile(temporaryFile, secret);
  await symlink(join(work, 'kept'), join(work, 'nested/.claude'));
  await symlink(outside, join(work, 'link-outside'));
  await symlink(join(work, 'hidden'), join(work, 'link-hidden'));
}

/** What git takes for a repository, without the time that it would take to make one. */
async function makeRepository(folder: string): Promise<void> {
  for (const name of ['objects', 'refs', 'hooks']) await mkdir(join(folder, '.git', name), { recursive: true });
  await writeFile(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(folder, '.git/config'), '[core]\n\trepositoryformatversion = 0\n');
}

/** Every file that must stay as it is, undefined where there is none. */
function guarded({ work, outside, home }: Folders): readonly (readonly [path: string, content: string | undefined])[] {
  return [
    [join(outside, 'file'), 'old'],
    [join(outside, 'canary'), undefined],
    [join(outside, '.claude/settings.json'), 'old'],
    [join(work, 'kept/file'), 'old'],
    [join(work, 'kept/canary'), undefined],
    [join(work, 'sub/deep/kept'), 'old'],
    [join(work, 'not-yet/kept'), undefined],
    [join(work, '.git/hooks/canary'), undefined],
    [join(work, '.git/modules/part/hooks/canary'), undefined],
    [join(work, '.git/modules/part/config'), 'old'],
    [join(work, 'nested/.git/hooks/canary'), undefined],
    [join(work, 'nested/.claude/settings.json'), undefined],
    [join(work, '.rondo/settings.json'), undefined],
    [join(work, '.claude/settings.json'), undefined],
    [join(work, '.mcp.json'), undefined],
    [join(home, '.bashrc'), undefined],
    [join(home, 'canary'), undefined],
  ];
}

const absent = (path: string) => [path, undefined] as const;

async function changed([path, content]: readonly [string, string | undefined]): Promise<string[]> {
  const now = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' || error.code === 'ENOTDIR' ? undefined : `(${error.code})`,
  );
  return now === content ? [] : [`${path}: ${now ?? 'gone'}`];
}

function connectTo(server: Server): Promise<void> {
  const address = server.address();
  if (address === null) throw new Error('a server does not listen');
  return new Promise((resolve, reject) => {
    const socket = typeof address === 'string' ? createConnection(address) : createConnection(address.port, '::1');
    socket
      .on('error', reject)
      .on('close', () => resolve())
      .resume();
  });
}

function sendTo(datagrams: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const taken = (message: Buffer) => {
      if (String(message) !== 'our own') return;
      datagrams.off('message', taken);
      resolve();
    };
    datagrams.on('message', taken);
    datagrams.send('our own', datagrams.address().port, '127.0.0.1', (error) => error && reject(error));
  });
}

function listen(server: Server, where: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, resolve);
  });
}
