import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { RondoError } from '@rondo/protocol/values';
import type { NetworkPolicy } from '../isolation/isolation-policy.ts';
import { createMarker, markerVariable } from '../supervisor/command-marker.ts';
import { readEnvironment, readProcesses } from '../supervisor/process-table.ts';
import { findProxyLibrary, proxyLibraryName } from './proxy-library.ts';

/** A proxy on this machine that lets through what a policy allows, by name. */
export interface NetworkProxy {
  /** Where it is reached from a sandbox that has no network at all; empty on macOS. */
  readonly socket: string;
  /** The port of this machine where it answers. */
  readonly port: number;
  /** Undefined for a proxy of the person's own. */
  readonly token: string | undefined;
  /** The person's own SOCKS proxy, found as the other one. */
  readonly socks: { readonly socket: string; readonly port: number } | undefined;
  /** The other one lets nothing through, since a person who has that one allowed no domains. */
  readonly onlySocks: boolean;
}

/** Where its sockets are to be, in a folder of its own, and the programs that it looks for. */
export interface NetworkProxyPlaces {
  readonly folder: string;
  readonly bubblewrap?: string;
  readonly relay?: string;
}

/**
 * The library keeps one state for a whole thread and sets variables of its process. A thread of its own for each sandbox
 * keeps both from everybody else, and the weight of loading it from the thread that streams.
 */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData.library)
  .then(async ({ SandboxManager }) => {
    await SandboxManager.initialize(workerData.config);
    if (!(await SandboxManager.waitForNetworkInitialization())) throw new Error('its proxy did not start');
    parentPort.postMessage({
      socket: SandboxManager.getLinuxHttpSocketPath() ?? '',
      port: SandboxManager.getProxyPort(),
      token: SandboxManager.getProxyAuthToken(),
      socks: { socket: SandboxManager.getLinuxSocksSocketPath() ?? '', port: SandboxManager.getSocksProxyPort() },
    });
    parentPort.on('message', () => undefined);
  })
  .catch((error) => parentPort.postMessage({ failure: String(error?.message ?? error) }));
`;

type Message = Partial<NetworkProxy> & { readonly failure?: string };

/** @throws RondoError `sandbox.unavailable` when it does not start. */
export async function startNetworkProxy(
  network: NetworkPolicy,
  { folder, bubblewrap, relay }: NetworkProxyPlaces,
): Promise<NetworkProxy> {
  const { allowed, denied, httpProxyPort, socksProxyPort } = network;
  const library = findProxyLibrary();
  if (library === undefined) throw notStarted(`the package ${proxyLibraryName} is not installed`);
  const marker = createMarker(process.env[markerVariable]);
  const worker = new Worker(program, {
    eval: true,
    stdout: true,
    stderr: true,
    // What it starts is found again by the mark. It names sockets by the process, of which it would be the only one.
    env: { ...process.env, [markerVariable]: marker.value, TMPDIR: folder },
    workerData: {
      library: pathToFileURL(library).href,
      config: {
        network: { allowedDomains: allowed, deniedDomains: denied, httpProxyPort, socksProxyPort },
        filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
        // It looks for one to expand patterns of paths with, of which it is given none.
        ripgrep: { command: process.execPath },
        bwrapPath: bubblewrap,
        socatPath: relay,
      },
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  worker.once('message', resolve).once('error', reject);
  const { socket, port, token, socks, failure } = await promise.catch(
    (error: unknown) => ({ failure: String(error) }) as Message,
  );
  if (socket === undefined || port === undefined) {
    await worker.terminate();
    throw notStarted(failure ?? 'no socket');
  }
  worker.unref();
  if (marks.length === 0) process.once('exit', endMarked);
  marks.push(marker.id);
  return {
    socket,
    port,
    token,
    socks: socksProxyPort === undefined ? undefined : socks,
    onlySocks: socksProxyPort !== undefined && httpProxyPort === undefined && allowed.length === 0,
  };
}

function notStarted(reason: string): RondoError {
  return new RondoError('sandbox.unavailable', `The proxy of the sandbox did not start: ${reason}`);
}

const marks: string[] = [];

/** The thread ends with the process, and without a word to what it started. */
function endMarked(): void {
  for (const { pid } of readProcesses()) {
    const environment = readEnvironment(pid);
    if (marks.some((mark) => environment?.includes(mark) === true)) process.kill(pid, 'SIGKILL');
  }
}
