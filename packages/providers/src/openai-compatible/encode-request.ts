import type { ModelRequest } from '@rondo/runtime';
import { isStrict, outputName, placeOutput } from '../dialect/place-output.ts';
import { appendList } from '../dialect/append-list.ts';
import { encodeReasoningParameters } from './encode-reasoning.ts';
import type { MessageEncoder } from './encode-message.ts';
import type { ServerQuirks } from './server-quirks.ts';

export interface EncodeOptions {
  /** The model's ID on the wire. */
  readonly model: string;
  readonly quirks: ServerQuirks;
  readonly encoder: MessageEncoder;
  /** Sent where the request names none; otherwise the server decides. */
  readonly maxOutputTokens: number | undefined;
}

/**
 * The body of one request. Messages are joined from bytes made once, so that those of an earlier request stand byte for
 * byte in the later one.
 */
export function encodeRequest(
  request: ModelRequest,
  { model, quirks, encoder, maxOutputTokens }: EncodeOptions,
): Buffer {
  const limit = request.maxOutputTokens ?? maxOutputTokens;
  const { sessionId, temperature } = request;
  const takesFormat =
    quirks.outputFormat === 'always' || (quirks.outputFormat === 'alone' && request.tools.length === 0);
  const { system, format } = placeOutput(request, () => takesFormat);
  const head = JSON.stringify({
    model,
    stream: true,
    ...(quirks.asksUsage && { stream_options: { include_usage: true } }),
    ...(limit !== undefined && { [quirks.tokenLimit]: limit }),
    ...(temperature !== undefined && { temperature }),
    ...(format && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: outputName, strict: isStrict(format), schema: format.schema },
      },
    }),
    ...encodeReasoningParameters(request, quirks.reasoning),
    ...(quirks.sessionField !== undefined && sessionId !== undefined && { [quirks.sessionField]: sessionId }),
    ...(request.tools.length > 0 ? quirks.body : withoutToolFields(quirks)),
  });
  const chunks: Buffer[] = [Buffer.from(head.slice(0, -1))];
  if (request.tools.length > 0) appendList(chunks, 'tools', request.tools.map(encoder.tool));
  const first = /\S/.test(system) ? [encoder.system(system)] : [];
  appendList(chunks, 'messages', [...first, ...request.messages.map(encoder.message)]);
  chunks.push(close);
  return Buffer.concat(chunks);
}

/** A request without tools may not say how they are to be called. */
function withoutToolFields({ body = {} }: ServerQuirks): object {
  const { parallel_tool_calls: _, ...rest } = body;
  return rest;
}

const close = Buffer.from('}');
