// The model of a host's sessions, in a process of its own. A reply comes in three parts, and between them every session
// waits with its turn in flight: some pieces at once; many, as fast as the connections take them; and some at the pace
// of a model, at the end of which one session after the other is done. Each piece is the moment at which it was sent.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { answerBytes, answerEnd, answerPiece, answerStart } from '../server/reply-bytes.ts';
import { createRequestReader } from '../server/request-reader.ts';
import { moment, replyPieces } from './moment.ts';
import { answerParent } from './program.ts';

export interface LiveModelAnswers {
  readonly url: string;
  /** Later replies come in parts, where those before came whole. */
  readonly hold: void;
  readonly burst: void;
  readonly pace: void;
}

const whole = answerBytes({ calls: 0, deltas: 24 });
const start = answerStart();
const end = answerEnd(replyPieces.first + replyPieces.burst);
/** A session has a piece in each cycle, and the sessions are spread over its slots. */
const slots = 100;
const slotMs = 5;
const cycles = 4;
/** In how many more of them the sessions end. */
const endings = 8;
let isHeld = false;
let held: Socket[] = [];

function reply(socket: Socket): void {
  if (!isHeld) {
    socket.write(whole);
    return;
  }
  held.push(socket);
  socket.write(Buffer.concat([start, ...Array.from({ length: replyPieces.first }, piece)]));
}

const piece = (): Buffer => answerPiece(`${moment()} `);

async function burst(): Promise<void> {
  for (let round = 0; round < replyPieces.burst; round += 1) {
    for (const socket of held) socket.write(piece());
    await setImmediate();
  }
}

async function pace(): Promise<void> {
  const sessions = held;
  held = [];
  const startedAt = performance.now();
  for (let slot = 0; slot < slots * (cycles + endings); slot += 1) {
    const cycle = Math.floor(slot / slots);
    for (let index = slot % slots; index < sessions.length; index += slots) {
      const last = cycles + Math.floor((index * endings) / sessions.length);
      if (cycle < last) sessions[index]?.write(piece());
      else if (cycle === last) sessions[index]?.write(end);
    }
    const ahead = startedAt + (slot + 1) * slotMs - performance.now();
    if (ahead > 1) await setTimeout(ahead);
  }
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  const reader = createRequestReader(() => reply(socket));
  socket.on('data', (bytes) => reader.write(bytes));
  socket.on('error', () => socket.destroy());
}).listen({ host: '127.0.0.1', port: 0, backlog: 4_096 });

answerParent<LiveModelAnswers>({
  async url() {
    if (!server.listening) await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  hold: () => void (isHeld = true),
  // The answer is that it has begun; the clients know when all has come.
  burst: () => void burst(),
  pace: () => void pace(),
});
