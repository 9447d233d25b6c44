import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Frame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Principal } from '../../access/principal.ts';
import { createConnection } from '../../connection.ts';
import { errorFrame } from '../../error-frame.ts';
import { decodeUtf8 } from '../decode-utf8.ts';
import type { Edge } from '../edge.ts';
import { readBody } from './read-body.ts';
import { sendJson, sendRefusal } from './send-json.ts';

/** `POST /rpc`: one request frame in, one response frame out. What is asked goes on when its client leaves. */
export async function answerRpc(
  request: IncomingMessage,
  response: ServerResponse,
  edge: Edge & { readonly principal: Principal; readonly isClosing: () => boolean },
): Promise<void> {
  const { limits } = edge;
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    const error = new RondoError('protocol.frame_invalid', 'the body is a frame: send content-type application/json');
    return sendRefusal(response, 415, error);
  }
  const body = await readBody(request, limits.frameBytes);
  if (body === undefined) {
    const error = new RondoError('protocol.frame_too_large', `a frame may have ${limits.frameBytes} bytes`, {
      details: { frameBytes: limits.frameBytes },
    });
    return sendRefusal(response, 413, error);
  }
  sendJson(response, 200, await responseTo(body, edge));
}

async function responseTo(
  body: Buffer,
  edge: Edge & { readonly principal: Principal; readonly isClosing: () => boolean },
): Promise<Frame> {
  const { runtime, decode, principal, name, report } = edge;
  const text = decodeUtf8(body);
  if (text === undefined) return refusal(null, new RondoError('protocol.frame_invalid', 'the body is not UTF-8'));
  const incoming = decode.frame(text);
  if (incoming.ok) {
    const { frame } = incoming;
    if (!('method' in frame) || !('id' in frame)) {
      return refusal(null, new RondoError('protocol.frame_invalid', 'the body is a request with an id, nothing else'));
    }
    if (edge.isClosing()) return refusal(frame.id, new RondoError('host.closing', 'this host is closing'));
    if (frame.method === 'events/subscribe' || frame.method === 'events/unsubscribe') {
      const error = new RondoError(
        'protocol.method_unknown',
        `${frame.method} needs a connection; over HTTP follow GET /sessions/ID/events`,
        { details: { method: frame.method } },
      );
      return refusal(frame.id, error);
    }
    if (frame.method === 'capability/bind') return refusal(frame.id, noHooks);
  }
  const { promise, resolve } = Promise.withResolvers<Frame>();
  const connection = createConnection({
    runtime,
    link: { send: resolve, room: () => undefined, unwritten: () => 0, mostEvents: 1 },
    decode: decode.params,
    principal,
    name,
    report,
    initialized: true,
  });
  connection.take(incoming);
  return await promise;
}

/** A hook is asked by a request of the host's own, which no client hears over HTTP. */
const noHooks = new RondoError(
  'session.procedure_unsupported',
  'hooks of a client need a connection that the host can ask over, and HTTP has none: connect to the WebSocket at /ws',
  { details: { procedure: 'capability/bind' } },
);

function refusal(id: string | number | null, error: RondoError): Frame {
  return errorFrame(id, error.toJSON());
}
