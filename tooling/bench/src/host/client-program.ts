// The clients of a host: `client-program.ts floor|rondo HOST-URL SESSIONS CONNECTIONS`.
import { connect } from '@rondo/client';
import { openSocket } from '../floor/follow-sessions.mjs';
import { moment, replyPieces } from './moment.ts';
import { answerParent } from './program.ts';

/** What came in a stretch of time, and how late: milliseconds. */
export interface Arrivals {
  readonly wallMs: number;
  /** Pieces of text and durable events. Pieces that came joined count as what they are. */
  readonly events: number;
  readonly pieces: number;
  /** From the model's sending a piece to its being handed out here. */
  readonly pieceDelays: readonly number[];
  /** From the host's stamp on a durable event to its being handed out here. The stamp has milliseconds. */
  readonly eventDelays: readonly number[];
}

export interface ClientAnswers {
  /** Sessions that come and go before the ones that count. */
  readonly warm: void;
  /** Begins a turn in each session; all of them are in flight when it is answered. */
  readonly start: void;
  /** What has come once the burst is through. To be asked before the burst. */
  readonly burst: Arrivals;
  /** What has come once every turn has ended. */
  readonly end: Arrivals;
}

interface Following {
  durable(at: number): void;
  text(text: string): void;
}

interface Driver {
  run(index: number, following: Following): Promise<void>;
  close(): void;
}

const [kind, url = '', sessions = '', connections = ''] = process.argv.slice(2);
const sessionCount = Number(sessions);
const connectionCount = Number(connections);
const warmUps = 50;
const startedAtOnce = 32;

function openRondo(): Promise<Driver> {
  const client = connect(url);
  return Promise.resolve({
    async run(index, following) {
      const session = await client.agent('bench').startSession();
      const turn = await session.startTurn(`What does note ${index} say?`);
      if (turn.type === 'busy') throw new Error('A new session is busy.');
      for await (const event of turn.events({ deltas: true })) {
        if (event.type === 'text.delta') following.text(event.text);
        else if ('at' in event) following.durable(Date.parse(event.at));
        if (event.type === 'turn.ended' && event.record.type !== 'completed')
          throw new Error(`A turn ended ${event.record.type}: ${JSON.stringify(event.record)}`);
      }
    },
    close: client.close,
  });
}

async function openFloor(): Promise<Driver> {
  const socket = await openSocket(url);
  return {
    run: (index, following) =>
      socket.run(`session-${index}`, `What does note ${index} say?`, (event) => {
        if (event.type === 'delta') following.text(event.text);
        else following.durable(event.at);
      }),
    close: socket.close,
  };
}

/**
 * Every connection with its share of the sessions, a few of which are started at once: how fast a machine opens a
 * thousand sockets is not asked. Resolves when all their turns have ended.
 */
async function runAll(many: number, most: number, follow: () => Following): Promise<void> {
  const open = kind === 'floor' ? openFloor : openRondo;
  const drivers: Driver[] = [];
  const turns: Promise<void>[] = [];
  async function startNext(): Promise<void> {
    for (let index = turns.length; index < many; index = turns.length) {
      const { promise: started, resolve } = Promise.withResolvers<void>();
      turns.push(runOne(index, resolve));
      await Promise.race([started, turns[index]]);
    }
  }
  async function runOne(index: number, onStarted: () => void): Promise<void> {
    const following = follow();
    const driver = (drivers[index % most] ??= await open());
    await driver.run(index, {
      durable: following.durable,
      text(text) {
        following.text(text);
        onStarted();
      },
    });
  }
  if (most === 1) drivers.push(await open());
  await Promise.all(Array.from({ length: startedAtOnce }, startNext));
  await Promise.all(turns);
  for (const driver of drivers) driver.close();
}

let stretch = newStretch();

function newStretch() {
  return {
    startedAt: moment(),
    wallFrom: Date.now(),
    pieces: 0,
    events: 0,
    pieceDelays: [] as number[],
    eventDelays: [] as number[],
  };
}

function arrivals(): Arrivals {
  const { startedAt, wallFrom: _from, ...rest } = stretch;
  stretch = newStretch();
  return { wallMs: (moment() - startedAt) / 1_000, ...rest };
}

/** Waits until so many sessions have had so many pieces. */
function gate(pieces: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = sessionCount;
  return {
    promise,
    note(before: number, now: number) {
      if (before >= pieces || now < pieces) return;
      missing -= 1;
      if (missing === 0) resolve();
    },
  };
}

const inFlight = gate(replyPieces.first);
const burstOver = gate(replyPieces.first + replyPieces.burst);
let ended: Promise<void> | undefined;

function followCounted(): Following {
  let count = 0;
  return {
    durable(at) {
      stretch.events += 1;
      // What was stamped before this stretch was measured with another load.
      if (at >= stretch.wallFrom) stretch.eventDelays.push(Date.now() - at);
    },
    text(text) {
      const now = moment();
      const before = count;
      for (const sentAt of text.split(' ')) {
        if (sentAt === '') continue;
        count += 1;
        stretch.pieceDelays.push((now - Number(sentAt)) / 1_000);
      }
      stretch.pieces += count - before;
      stretch.events += count - before;
      inFlight.note(before, count);
      burstOver.note(before, count);
    },
  };
}

answerParent<ClientAnswers>({
  warm: () => runAll(warmUps, connectionCount, () => ({ durable: () => {}, text: () => {} })),
  async start() {
    ended = runAll(sessionCount, connectionCount, followCounted);
    await Promise.race([inFlight.promise, ended]);
    arrivals();
  },
  async burst() {
    arrivals();
    await burstOver.promise;
    return arrivals();
  },
  async end() {
    await ended;
    return arrivals();
  },
});
