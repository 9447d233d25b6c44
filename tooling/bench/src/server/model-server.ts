// The model of the bench, in a process of its own so that its work is nobody's CPU time. It answers from bytes that are
// rendered once, and keeps no state of a conversation: how far one has come is counted in its request. The base URL
// names the conversation: `http://127.0.0.1:PORT/calls-20-deltas-24`. It sends real events over a real socket, so
// whoever talks to it does all the work of talking to a model.
import { createServer, type Socket } from 'node:net';
import { notePath } from '../scenario/note.ts';
import { answerBytes, callBytes, type Conversation } from './reply-bytes.ts';
import { createRequestReader, type HttpRequest } from './request-reader.ts';

/** What the bench asks over the process channel, and what it is told. Times are `process.hrtime`, one clock a machine. */
export type ServerQuestion = 'begin' | 'report';
export type ServerAnswer =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'begun' }
  | { readonly type: 'report'; readonly firstByteAt: bigint | undefined; readonly requests: number };

const resultMark = Buffer.from('"tool_result"');
const folder = process.argv[2] ?? process.cwd();
const replies = new Map<string, Buffer>();
let firstByteAt: bigint | undefined;
let requests = 0;

function replyTo({ path, body }: HttpRequest): Buffer {
  const match = /^\/calls-(\d+)-deltas-(\d+)\/v1\/messages/.exec(path);
  if (match === null) throw new Error(`No conversation has the path ${path}.`);
  const conversation: Conversation = { calls: Number(match[1]), deltas: Number(match[2]) };
  const results = countResults(body);
  const key = results < conversation.calls ? `call ${results}` : `answer ${conversation.deltas}`;
  let bytes = replies.get(key);
  if (bytes === undefined) {
    bytes = results < conversation.calls ? callBytes(results, notePath(folder, results)) : answerBytes(conversation);
    replies.set(key, bytes);
  }
  return bytes;
}

function countResults(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(resultMark); at !== -1; at = body.indexOf(resultMark, at + resultMark.length)) count += 1;
  return count;
}

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  const reader = createRequestReader((request) => {
    requests += 1;
    socket.write(replyTo(request));
  });
  socket.on('data', (bytes) => {
    firstByteAt ??= process.hrtime.bigint();
    reader.write(bytes);
  });
  // A client that leaves in the middle is the client's failure, and shows there.
  socket.on('error', () => socket.destroy());
}

function answer(message: ServerAnswer): void {
  process.send?.(message);
}

process.on('message', (question: ServerQuestion) => {
  if (question === 'begin') {
    firstByteAt = undefined;
    requests = 0;
    answer({ type: 'begun' });
  } else answer({ type: 'report', firstByteAt, requests });
});
process.on('disconnect', () => process.exit(0));

// Room for a thousand clients that connect in the same moment.
const server = createServer(serve).listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') answer({ type: 'listening', port: address.port });
});
