import { httpChannel } from '../channel/http-channel.ts';
import { webSocketChannel } from '../channel/web-socket-channel.ts';
import type { ChannelOpener } from './open-link.ts';

/** How the host at an address is reached. */
export interface Target {
  readonly open: ChannelOpener;
  /** What is sent with the greeting: nothing where a header has it already. */
  readonly token: string | undefined;
  /** The same for every way to the same host. */
  readonly place: string;
}

/** @throws TypeError for an address of no host, or one that holds a secret. */
export function targetOf(address: string | URL, token: string | undefined): Target {
  const url = readUrl(address);
  if (url.username !== '' || url.password !== '' || url.searchParams.has('token')) {
    throw new TypeError(`the address of a host holds no secret, it would be written down with it: pass { token }`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  switch (url.protocol) {
    case 'ws:':
    case 'wss:': {
      const socketUrl = new URL(url);
      if (path === '') socketUrl.pathname = '/ws';
      const open: ChannelOpener = ({ signal }) => webSocketChannel(socketUrl, { signal });
      return { open, token, place: `host:${url.host}${path.replace(/\/ws$/, '')}` };
    }
    case 'http:':
    case 'https:':
      return {
        open: () => httpChannel(url, token === undefined ? {} : { token }),
        token: undefined,
        place: `host:${url.host}${path}`,
      };
    default:
      throw new TypeError(
        `a host's address begins with ws:, wss:, http: or https:, not ${url.protocol} Pass a function that opens the channel for any other way`,
      );
  }
}

function readUrl(address: string | URL): URL {
  try {
    return new URL(address);
  } catch (error) {
    throw new TypeError(`${JSON.stringify(String(address))} is no address of a host, such as ws://127.0.0.1:7171`, {
      cause: error,
    });
  }
}
