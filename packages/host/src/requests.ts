import type { Frame, JsonValue, MethodName, MethodResult, RequestFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { DecodeParams } from './decode-params.ts';
import { describeError, errorFrame, type ReportBug } from './error-frame.ts';
import { type HandlerContext, handlers, type Handlers, isMethod } from './handler/handlers.ts';

/** The requests of one connection. */
export interface Requests {
  /** Does what is asked and sends exactly one response, whatever happens. */
  take(frame: RequestFrame): void;
  /** Resolves when no request is at work. Never rejects. */
  settled(): Promise<void>;
}

export interface RequestsOptions {
  readonly context: HandlerContext;
  readonly decode: DecodeParams;
  /** Whether calls are taken before `host/initialize`. */
  readonly initialized: boolean;
  readonly send: (frame: Frame) => void;
  readonly report: ReportBug;
}

export function createRequests({ context, decode, send, report, ...options }: RequestsOptions): Requests {
  let initialized = options.initialized;
  const ids = new Set<string | number>();
  const atWork = new Set<Promise<void>>();

  function call<Method extends MethodName>(method: Method, params: unknown): unknown {
    if (!initialized && method !== 'host/initialize') throw notInitialized(method);
    const handler: Handlers[Method] = handlers[method];
    const result = handler(decode(method, params), context);
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
      send(response);
      // No event may overtake the answer that its reader waits for.
      if ('result' in response && frame.method === 'events/subscribe') beginSubscription(response.result);
    } catch (bug) {
      send(
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

  return {
    take(frame) {
      if (ids.has(frame.id)) {
        send(errorFrame(null, repeatedId(frame.id).toJSON()));
        return;
      }
      ids.add(frame.id);
      const work = respond(frame).finally(() => atWork.delete(work));
      atWork.add(work);
    },
    async settled() {
      await Promise.allSettled(atWork);
    },
  };
}

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
