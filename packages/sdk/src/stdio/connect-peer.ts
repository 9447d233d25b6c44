import type { RondoError } from '@rondo/protocol/values';
import type { Clock } from '@rondo/runtime';
import type { McpServer } from '../mcp/mcp-server-config.ts';
import type { Options } from '../options/options.ts';
import { noteFor } from '../run/note-for.ts';
import { createAnswers } from './answer-peer.ts';
import { endProcess } from './end-process.ts';
import type { HookRegistry } from './hook-registry.ts';
import { initializeFields } from './initialize-fields.ts';
import type { Frame } from './json-line.ts';
import { keepStderr } from './keep-stderr.ts';
import type { PeerStore } from './peer-store.ts';
import { createPeerWire, type PeerWire } from './peer-wire.ts';
import { createProgramServers, type ProgramServers } from './program-servers.ts';
import { startPeerProcess, type PeerExit } from './start-peer-process.ts';

export interface ConnectPeerOptions {
  readonly clock: Clock;
  readonly hooks: HookRegistry;
  /** Those that live in this program. */
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly store: PeerStore | undefined;
  readonly onMessage: (line: Frame) => void;
  readonly onFault: (error: RondoError) => void;
}

/** A process that runs, and the wire to it. */
export interface PeerConnection {
  readonly wire: PeerWire;
  readonly servers: ProgramServers;
  readonly exited: Promise<PeerExit>;
  /** The end of what it said to a person. */
  readonly stderr: () => string;
  /** Sends `initialize`, of which `written` hears when it is on its way. Resolves with the whole answer. */
  initialize(written?: () => void): Promise<Frame>;
  /**
   * Closes its input and sees to its end. Resolves once it has ended, or been told to. With `answering` its input stays open, so
   * that what it still asks of the store can be answered: it is told that no more messages come.
   */
  end(how?: 'answering'): Promise<void>;
}

/** @throws RondoError when there is nothing to start. */
export function connectPeer(options: Options, parts: ConnectPeerOptions): PeerConnection {
  const { clock, hooks, store, onMessage, onFault } = parts;
  const going = new AbortController();
  const { process, exited } = startPeerProcess(options, going.signal);
  const stderr = keepStderr(process, options.stderr);
  const servers = createProgramServers(parts.servers, {
    clock,
    // What a server says by itself needs no answer of the peer, and may be more than the peer understands.
    send: (name, message) => void wire.request('mcp_message', { server_name: name, message }).catch(() => {}),
  });
  const wire = createPeerWire({
    process,
    answers: createAnswers({ options, hooks, servers, ofStore: store?.answers }),
    onMessage,
    note: noteFor(options),
    onFault,
  });

  async function initialize(written?: () => void): Promise<Frame> {
    const { names } = servers;
    const manifests = names.length === 0 ? {} : await servers.manifests();
    const sessionStore = store?.description;
    const fields = initializeFields(options, { hooks, serverNames: names, manifests, sessionStore });
    const answer = wire.request('initialize', fields);
    written?.();
    return await answer;
  }

  let ending: Promise<void> | undefined;
  function end(how?: 'answering'): Promise<void> {
    if (how === 'answering') wire.endMessages();
    else wire.closeInput();
    ending ??= endProcess({ process, exited, clock, abort: () => going.abort() });
    return ending;
  }

  return { wire, servers, exited, stderr, initialize, end };
}
