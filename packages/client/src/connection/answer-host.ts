import type { Frame, RequestFrame } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { HookDesk } from '../hooks/hook-desk.ts';
import type { HostReader } from './host-reader.ts';

/** The one response to a host's request. Never rejects. */
export async function answerHost(
  { id, method, params }: RequestFrame,
  { hooks, reader, signal }: { readonly hooks: HookDesk; readonly reader: HostReader; readonly signal: AbortSignal },
): Promise<Frame> {
  if (method !== 'capability/call') {
    const unknown = new RondoError('protocol.method_unknown', `this client has no method "${method}"`);
    return refusal(id, unknown, -32601);
  }
  try {
    return { jsonrpc: '2.0', id, result: await hooks.answer(reader.call(params), signal) };
  } catch (error) {
    const known = isRondoError(error) ? error : new RondoError('internal', 'the client failed at this request');
    return refusal(id, known, -32000);
  }
}

function refusal(id: string | number, error: RondoError<string>, code: number): Frame {
  return {
    jsonrpc: '2.0',
    id,
    error: { code, message: error.message, data: { ...error.toJSON(), details: error.details } },
  };
}
