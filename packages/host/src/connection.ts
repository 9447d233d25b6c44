import type { DecodedFrame } from '@rondo/protocol';
import type { Runtime } from '@rondo/runtime';
import { guardRuntime } from './access/guard-runtime.ts';
import type { Principal } from './access/principal.ts';
import { createCapabilities } from './capability/capabilities.ts';
import type { DecodeParams } from './decode-params.ts';
import type { ReportBug } from './error-frame.ts';
import { defaultLimits } from './limits.ts';
import type { Link } from './link.ts';
import { createRequests } from './requests.ts';
import { createSubscriptions } from './subscription.ts';

/** One connection of a runtime: what it was asked, and what it follows. */
export interface Connection {
  /** What came in, in so many bytes: a request gets exactly one response, what is no frame one error, anything else nothing. */
  take(incoming: DecodedFrame, bytes?: number): void;
  /** Tells the other end, and takes no more. Resolves when what was asked is answered. */
  close(): Promise<void>;
  /** For when the other end has gone. Resolves when nothing that came over the connection is at work any more. */
  abandon(): Promise<void>;
}

export interface ConnectionOptions {
  readonly runtime: Runtime;
  readonly link: Link;
  readonly decode: DecodeParams;
  /** Who is at the other end. Absent: code of this process. */
  readonly principal: Principal | undefined;
  /** What the host calls itself. */
  readonly name: string;
  readonly report: ReportBug;
  /** Requests are taken before `host/initialize`. */
  readonly initialized?: boolean;
  readonly requests?: number;
  readonly requestBytes?: number;
  readonly subscriptions?: number;
}

export function createConnection(options: ConnectionOptions): Connection {
  const { runtime, link, decode, principal, name, report } = options;
  const seen = principal === undefined ? runtime : guardRuntime(runtime, principal);
  const subscriptions = createSubscriptions({
    runtime: seen,
    link,
    most: options.subscriptions ?? defaultLimits.subscriptions,
    report,
  });
  const capabilities = createCapabilities({ runtime, link, principal });
  const requests = createRequests({
    context: { runtime: seen, subscriptions, capabilities, name, principal: principal?.name },
    decode,
    principal,
    initialized: options.initialized ?? false,
    link,
    most: options.requests ?? defaultLimits.requests,
    mostBytes: options.requestBytes ?? defaultLimits.requestBytes,
    report,
  });
  return {
    take(incoming, bytes = 0) {
      if (!incoming.ok) requests.refuse(incoming);
      else if (!('method' in incoming.frame)) capabilities.take(incoming.frame);
      // Notifications say nothing to a host of this version.
      else if ('id' in incoming.frame) requests.take(incoming.frame, bytes);
    },
    async close() {
      requests.close();
      link.send({ jsonrpc: '2.0', method: 'host/closing', params: {} });
      await requests.settled();
    },
    async abandon() {
      capabilities.abandon();
      await subscriptions.abandon();
      await requests.settled();
    },
  };
}
