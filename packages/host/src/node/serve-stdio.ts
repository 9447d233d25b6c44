import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { type Clock, type Runtime, systemClock } from '@rondo/runtime';
import { type Principal, unboundPrincipal } from '../access/principal.ts';
import { givenPrincipal } from '../access/read-principal.ts';
import { loadEdgeDecoder } from '../decode-params.ts';
import { defaultLimits, type HostLimits } from '../limits.ts';
import { type HostLog, reportTo, silentLog } from './host-log.ts';
import { type ServedLines, serveLines } from './line/serve-lines.ts';

export interface ServeLinesSettings {
  /** Who is at the other end. One named `local`, who may do everything, unless said. */
  readonly principal?: Principal;
  readonly limits?: Partial<HostLimits>;
  readonly log?: HostLog;
  readonly clock?: Clock;
  /** What the host calls itself in `host/initialize`. */
  readonly name?: string;
}

export interface ServeStdioOptions extends ServeLinesSettings {
  /** Standard input unless said. */
  readonly input?: Readable;
  /** Standard output unless said; nothing else may write to it. */
  readonly output?: Writable;
}

/** Serves a runtime to the process at the other end of standard input and output: one frame a line, LF only. */
export async function serveStdio(runtime: Runtime, options: ServeStdioOptions = {}): Promise<ServedLines> {
  return serveLines({
    runtime,
    decode: await loadEdgeDecoder(),
    limits: { ...defaultLimits, ...options.limits },
    clock: options.clock ?? systemClock,
    name: options.name ?? 'rondo',
    report: reportTo(options.log ?? silentLog),
    principal: options.principal === undefined ? unboundPrincipal('local') : givenPrincipal(options.principal),
    input: options.input ?? process.stdin,
    output: options.output ?? standardOutput(),
  });
}

/** `process.stdout` writes to a pipe while the whole process waits: a client that reads slowly would hold up every turn. */
function standardOutput(): Writable {
  const { fd } = process.stdout;
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket() ? new Socket({ fd, readable: false, writable: true }) : process.stdout;
}
