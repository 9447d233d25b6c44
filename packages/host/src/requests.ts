import type { DecodedFrame, Frame, JsonValue, MethodName, MethodResult, RequestFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { requireRight } from './access/method-rights.ts';
import type { Principal } from './access/principal.ts';
import type { DecodeParams } from './decode-params.ts';
import { describeError, errorFrame, type ReportBug } from './error-frame.ts';
import { type HandlerContext, handlers, type Handlers, isMethod } from './handler/handlers.ts';
import type { Link } from './link.ts';

export type MalformedFrame = Extract<DecodedFrame, { readonly ok: false }>;

/** The requests of one connection. */
export interface Requests {
  /** Does what is asked and sends exactly one response, whatever happens. `bytes` is what the frame came in. */
  take(frame: RequestFrame, bytes: number): void;
  /** Answers what is no frame with its one error. */
  refuse(malformed: MalformedFrame): void;
  /** Refuses what comes from here on with `host.closing`. */
  close(): void;
  /** Resolves when no request is at work. Never rejects. */
  settled(): Promise<void>;
}

export interface RequestsOptions {
  readonly context: HandlerContext;
  readonly decode: DecodeParams;
  /** Absent: code of this process, which may do everything. */
  readonly principal: Principal | undefined;
  /** Whether calls are taken before `host/initialize`. */
  readonly initialized: boolean;
  readonly link: Link;
  /** How many may be at work, or have a response that the other end has not taken. */
  readonly most: number;
  /** How many bytes those at work may have come in. */
  readonly mostBytes: number;
  readonly report: ReportBug;
}

export function createRequests(options: RequestsOptions): Requests {
  const { context, decode, principal, link, most, mostBytes, report } = options;
  let initialized = options.initialized;
  let closing = false;
  const ids = new Set<string | number>();
  const atWork = new Set<Promise<void>>();
  let bytesAtWork = 0;

  function call<Method extends MethodName>(method: Method, params: unknown): unknown {
    if (!initialized && method !== 'host/initialize') throw notInitialized(method);
    if (principal !== undefined) requireRight(principal, method);
    const handler: Handlers[Method] = handlers[method];
    const decoded = decode(method, params);
    if ('bindingId' in decoded && decoded.bindingId !== undefined) context.capabilities.requireOwn(decoded.bindingId);
    const result = handler(decoded, context);
    // At once, not when the answer is out: a client may send its first request right behind.
    if (method === 'host/initialize') initialized = true;
    return result;
  }

  async function answer({ id, method, params }: RequestFrame): Promise<Frame> {
    try {
      if (!isMethod(method)) throw unknownMethod(method);
      const result = await call(method, params ?? {});
      return { jsonrpc: '2.0', id, result: result as JsonValue };
    } catch (error) {
      return errorFrame(
        id,
        describeError(error, (bug) => report(bug, method)),
      );
    }
  }

  async function respond(frame: RequestFrame): Promise<void> {
    const response = await answer(frame);
    ids.delete(frame.id);
    try {
      link.send(response);
      // No event may overtake the answer that its reader waits for.
      if ('result' in response && frame.method === 'events/subscribe') beginSubscription(response.result);
    } catch (bug) {
      link.send(
        errorFrame(
          frame.id,
          describeError(bug, () => report(bug, frame.method)),
        ),
      );
    }
  }

  function beginSubscription(result: JsonValue): void {
    const { subscriptionId } = result as MethodResult<'events/subscribe'>;
    context.subscriptions.begin(subscriptionId);
  }

  /** Why a request is not even looked at. */
  function refusal(bytes: number): RondoError | undefined {
    if (closing) return new RondoError('host.closing', 'this host is closing; connect again to go on');
    const isRoom = atWork.size + link.unwritten() < most;
    if (isRoom && (atWork.size === 0 || bytesAtWork + bytes <= mostBytes)) return undefined;
    return new RondoError(
      'protocol.queue_full',
      isRoom
        ? `requests of this connection with ${bytesAtWork} bytes are at work; send this one again when they are answered`
        : `${most} requests of this connection are at work or unread; read responses, and send this one again`,
      { details: isRoom ? { requestBytes: mostBytes } : { requests: most } },
    );
  }

  return {
    take(frame, bytes) {
      if (ids.has(frame.id)) {
        link.send(errorFrame(null, repeatedId(frame.id).toJSON()));
        return;
      }
      const refused = refusal(bytes);
      if (refused !== undefined) {
        link.send(errorFrame(frame.id, refused.toJSON()));
        return;
      }
      ids.add(frame.id);
      bytesAtWork += bytes;
      const work = respond(frame).finally(() => {
        bytesAtWork -= bytes;
        atWork.delete(work);
      });
      atWork.add(work);
    },
    refuse({ reason, message, id }) {
      // Under the ID of a request at work the error would be taken for that one's answer.
      const own = id === null || ids.has(id) ? null : id;
      const error = new RondoError('protocol.frame_invalid', message, {
        details: own === id ? { reason } : { reason, requestId: id },
      });
      link.send(errorFrame(own, error.toJSON(), reason === 'not-json' ? NOT_JSON : undefined));
    },
    close() {
      closing = true;
    },
    async settled() {
      while (atWork.size > 0) await Promise.allSettled(atWork);
    },
  };
}

/** JSON-RPC's number for text that is no JSON. */
const NOT_JSON = -32700;

function notInitialized(method: string): RondoError {
  return new RondoError(
    'protocol.version_unsupported',
    `${method} came before a version was agreed on; send host/initialize first`,
    {
      details: { method },
    },
  );
}

function unknownMethod(method: string): RondoError {
  return new RondoError('protocol.method_unknown', `this host has no method "${method}"`, { details: { method } });
}

/** Sent with no ID: the first request of that ID still gets its own answer under it. */
function repeatedId(id: string | number): RondoError {
  return new RondoError(
    'protocol.frame_invalid',
    `request ID ${JSON.stringify(id)} is still in use; give every request its own`,
    {
      details: { requestId: id },
    },
  );
}
