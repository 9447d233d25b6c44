import { connect, type Client, type ConnectionStatus } from '@rondo/client';
import { webSocketChannel } from '@rondo/client/node';
import { readTokenFile } from '@rondo/host/node';
import type { SessionInfo } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { openHome } from '@rondo/sdk/host';
import type { AttachValues } from '../command/flag-tables.ts';
import { printableLine } from '../terminal/printable-text.ts';

/** The session that is attached to, and the way to it. */
export interface AttachTarget extends AsyncDisposable {
  readonly client: Client;
  readonly session: SessionInfo;
}

export interface AttachOptions {
  /** Hears what becomes of the way to a host at a URL. */
  readonly onConnection: (status: ConnectionStatus) => void;
}

/** @throws RondoError `input.invalid`, `session.not_found`, and what the host at the URL refuses with. */
export async function openAttachTarget(
  values: AttachValues,
  positionals: readonly string[],
  { onConnection }: AttachOptions,
): Promise<AttachTarget> {
  const [first, second, ...surplus] = positionals;
  const [url, wanted] = second === undefined ? [undefined, first] : [first, second];
  if (wanted === undefined || isUrl(wanted)) {
    throw new RondoError('input.invalid', 'Which session? rondo attach [URL] SESSION; rondo sessions list shows them.');
  }
  if (surplus[0] !== undefined) throw new RondoError('input.invalid', `rondo attach takes no "${surplus[0]}".`);
  if (url === undefined && values.tokenFile !== undefined) {
    throw new RondoError('input.invalid', '--token-file is for a URL; sessions of this machine need none.');
  }
  const { client, close } = url === undefined ? await openHome() : await connectTo(url, values, onConnection);
  try {
    return { client, session: await findSession(client, wanted), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function isUrl(text: string): boolean {
  return /^[a-z]+:\/\//i.test(text);
}

async function connectTo(url: string, { tokenFile }: AttachValues, onConnection: AttachOptions['onConnection']) {
  const token = tokenFile === undefined ? process.env['RONDO_TOKEN'] : await soleToken(tokenFile);
  const address = socketAddress(url);
  const client = connect(({ signal }) => webSocketChannel(address, { signal, ...(token ? { token } : {}) }), {
    name: 'rondo attach',
    onConnection,
  });
  const close = async (): Promise<void> => {
    client.close();
    await client.closed;
  };
  return { client, close };
}

/** @throws RondoError `input.invalid` for what is no host's address, or holds a secret. */
function socketAddress(url: string): URL {
  const address = URL.parse(url);
  const scheme = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' }[address?.protocol ?? ''];
  if (address === null || scheme === undefined) {
    throw new RondoError(
      'input.invalid',
      `${printableLine(url, 60)} is no address of a host, such as ws://127.0.0.1:7171.`,
    );
  }
  if (address.username !== '' || address.password !== '' || address.searchParams.has('token')) {
    throw new RondoError('input.invalid', 'A token is not put into a URL: use --token-file or RONDO_TOKEN.');
  }
  address.protocol = scheme;
  if (address.pathname === '/') address.pathname = '/ws';
  return address;
}

async function soleToken(path: string): Promise<string> {
  const [grant, ...more] = await readTokenFile(path);
  if (grant !== undefined && more.length === 0 && 'token' in grant) return grant.token;
  throw new RondoError(
    'input.invalid',
    `${path} is a host's list of tokens; --token-file takes a file with the one to use.`,
  );
}

async function findSession(client: Client, wanted: string): Promise<SessionInfo> {
  try {
    return await client.session(wanted.toLowerCase()).read();
  } catch (error) {
    if (!isRondoError(error, 'session.not_found')) throw error;
  }
  const found: SessionInfo[] = [];
  for await (const info of client.listSessions()) if (info.id.startsWith(wanted.toLowerCase())) found.push(info);
  const [only, another] = found;
  if (only === undefined) {
    throw new RondoError('session.not_found', `There is no session ${printableLine(wanted, 60)}.`);
  }
  if (another === undefined) return only;
  const ids = found.slice(0, 5).map(({ id }) => id);
  throw new RondoError(
    'input.invalid',
    `${found.length} sessions begin with ${printableLine(wanted, 60)}: ${ids.join(', ')}`,
  );
}
