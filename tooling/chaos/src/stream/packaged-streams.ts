import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolveModel } from '@rondo/providers';
import { askModel } from '@rondo/providers/testing';
import type { ChaosCase } from '../chaos-case.ts';
import { assertReply } from './assert-reply.ts';
import { mutateStream } from './mutate-stream.ts';
import { recordedStreams, type RecordedStream } from './recorded-stream.ts';

const streamsOfWire = 5_000;
const streamsOfCase = 25;

/** Wires that a vendor's package reads, by the folder of their recorded replies. */
const packaged: Readonly<Record<string, { readonly model: string; env(url: string): Record<string, string> }>> = {
  google: {
    model: 'google/gemini-3.8-flash',
    env: (url) => ({ GEMINI_API_KEY: 'key-of-a-test', GEMINI_BASE_URL: url }),
  },
  mistral: {
    model: 'mistral/mistral-medium-latest',
    env: (url) => ({ MISTRAL_API_KEY: 'key-of-a-test', MISTRAL_BASE_URL: url }),
  },
};

/** Their replies come over a real connection, since packages take no less. */
export function packagedStreams(): readonly ChaosCase[] {
  return Object.keys(packaged).flatMap((wire) => {
    const recorded = recordedStreams(wire);
    return Array.from({ length: streamsOfWire / streamsOfCase }, (_, index): ChaosCase => {
      const stream = recorded[index % recorded.length];
      assert.ok(stream !== undefined, `there is no recorded reply of ${wire}`);
      const first = index * streamsOfCase;
      return {
        name: `${wire}/${stream.name}: seeds ${first} to ${first + streamsOfCase - 1}`,
        run: () => askForAll(stream, recorded, first),
      };
    });
  });
}

async function askForAll(stream: RecordedStream, others: readonly RecordedStream[], first: number): Promise<void> {
  let seed = first;
  const server = createServer((request, response) => {
    request.resume();
    send(response, mutateStream(stream, others, seed).chunks);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const way = packaged[stream.wire];
  assert.ok(way !== undefined);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = await resolveModel(way.model, { env: { ...way.env(url), CLAUDE_STREAM_IDLE_TIMEOUT_MS: '5000' } });
  try {
    for (; seed < first + streamsOfCase; seed += 1) {
      const { parts, error } = await askModel(model);
      try {
        assertReply({ parts, outcomes: [error ?? 'ended'] });
      } catch (cause) {
        const { done } = mutateStream(stream, others, seed);
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`seed ${seed} (${done.join(', ')}): ${message}`, { cause });
      }
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function send(response: ServerResponse, chunks: readonly Buffer[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.on('error', () => undefined);
  // Many small writes would say nothing more: the connection joins them.
  const pieces = chunks.length > 8 ? [Buffer.concat(chunks)] : chunks;
  for (const piece of pieces) if (piece.length > 0) response.write(piece);
  response.end();
}
