import type { ModelPart } from '@rondo/runtime';
import { anthropicDialect } from '../anthropic/dialect.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { readReply } from '../dialect/read-reply.ts';
import { createCompatibleDialect } from '../openai-compatible/dialect.ts';
import { isServerKind, serverQuirks } from '../openai-compatible/server-quirks.ts';
import { openaiDialect } from '../openai/dialect.ts';

export interface StreamReading {
  readonly parts: readonly ModelPart[];
  /** How often the reply came to an end, and how; a sound reader says it once. */
  readonly outcomes: readonly ('ended' | Error)[];
}

/** Wires that are read by us, by the folder of their recorded replies. `server` names one that speaks chat completions. */
const dialects: Readonly<Record<string, (server: string) => Dialect>> = {
  anthropic: () => anthropicDialect,
  'openai-responses': () => openaiDialect,
  'chat-completions': (server) => createCompatibleDialect(serverQuirks(isServerKind(server) ? server : undefined)),
};

/** The names that `readStream` knows. */
export const streamWires: readonly string[] = Object.keys(dialects);

/**
 * Reads the body of a streamed reply as the adapter of that wire does, without a connection: what it makes of the bytes,
 * in the pieces they come in.
 */
export function readStream(
  { wire, server = '' }: { readonly wire: string; readonly server?: string },
  chunks: readonly Buffer[],
): StreamReading {
  const dialect = dialects[wire]?.(server);
  if (dialect === undefined) throw new TypeError(`no wire is called ${wire}; known are ${streamWires.join(', ')}`);
  const parts: ModelPart[] = [];
  const outcomes: ('ended' | Error)[] = [];
  const reply = readReply(dialect, endpoint, {
    emit: (part) => parts.push(part),
    fail: (error) => outcomes.push(error),
    ended: () => outcomes.push('ended'),
  });
  reply.response(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) if (outcomes.length === 0) reply.data(chunk);
  if (outcomes.length === 0) reply.end();
  return { parts, outcomes };
}

const endpoint = {
  vendor: 'A vendor',
  url: new URL('https://provider.test/'),
  keySource: 'A_KEY',
  baseUrlSource: 'A_BASE_URL',
  secrets: [],
};
