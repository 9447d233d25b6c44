import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { allowApproval, connect, type Client } from '@rondo/client';
import { socketChannel } from '@rondo/client/node';
import type { AnyEvent, TurnRecord } from '@rondo/protocol';
import { createFileStore } from '@rondo/runtime/node';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { type Death, moments } from '../kill/dying-file-system.ts';
import type { ServingLine, ServingOptions } from './serving-process.ts';

const program = join(import.meta.dirname, 'serving-process.ts');
const sessionId = 'e0000000-0000-4000-8000-00000000c4a0';
const bindingId = 'agent:story';
const never: Death = { write: Number.MAX_SAFE_INTEGER, moment: 'before' };

/** A process that serves a session is killed at each of its writes, and started again; its client goes on by itself. */
export const servedKills: ChaosFamily = {
  name: 'kills of a host that serves',
  atOnce: 1,
  async cases() {
    const writes = await countWrites();
    const deaths = Array.from({ length: writes }, (_, write) => moments.map((moment): Death => ({ write, moment })));
    return [parkedCase, ...deaths.flat().map(killAt)];
  },
};

interface ServingProcess {
  readonly recovered: Extract<ServingLine, { serving: unknown }>['serving'];
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<ServingLine | undefined>;
}

/** Resolves once it serves, or has been killed before. */
async function serve(options: ServingOptions): Promise<ServingProcess> {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    ['--conditions=@rondo/source', program, JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines: ServingLine[] = [];
  const began = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as ServingLine);
    began.resolve();
  });
  await Promise.race([began.promise, gone]);
  const first = lines[0];
  return {
    recovered: first !== undefined && 'serving' in first ? first.serving : [],
    gone,
    async stop(signal) {
      child.kill(signal);
      await gone;
      return lines.find((line) => 'writes' in line);
    },
  };
}

interface Told {
  /** Durable events, in the order in which they came. */
  readonly seen: readonly AnyEvent[];
  readonly record: TurnRecord;
}

/** What a person's program does, which knows nothing of deaths: it starts, steers at the question, answers, and waits. */
async function live(client: Client, folder: string, onAsked: () => Promise<void> = async () => {}): Promise<Told> {
  const seen: AnyEvent[] = [];
  const session = await client.createSession({ bindingId, sessionId });
  const turn = await session.startTurn('go', { idempotencyKey: 'start' });
  if (turn.type !== 'turn') throw new Error(`the session is ${turn.type}`);
  const following = (async () => {
    for await (const event of session.events()) {
      seen.push(event);
      if (event.type === 'turn.ended') return;
    }
  })();
  following.catch(() => {});
  const blocked = await turn.result();
  if (blocked.type !== 'blocked') throw new Error(`nobody was asked: the turn is ${blocked.type}`);
  const [question] = blocked.callbacks;
  if (question?.type !== 'approval') throw new Error(`the question is ${question?.type}`);
  await onAsked();
  assert.equal((await turn.steer('and mind the gap', { idempotencyKey: 'steer' })).type, 'turn');
  writeFileSync(join(folder, 'released'), '');
  // Sent again after a death it may find its own answer.
  assert.match((await turn.answer(question.id, allowApproval())).type, /^(answered|alreadySettled)$/);
  const record = await turn.result({ after: blocked });
  await following;
  return { seen, record };
}

function clientOf(folder: string): Client {
  const path = join(folder, 'host.sock');
  return connect(({ signal }) => socketChannel(path, { signal }), { reconnect: { delaysMs: Array(3000).fill(20) } });
}

async function countWrites(): Promise<number> {
  return await withFolder(async (folder) => {
    const process = await serve({ folder, death: never });
    const client = clientOf(folder);
    const { record } = await live(client, folder);
    assert.equal(record.type, 'completed');
    client.close();
    const end = await process.stop('SIGTERM');
    assert.ok(end !== undefined && 'writes' in end && end.writes > 0, 'the story writes nothing');
    return end.writes;
  });
}

function killAt(death: Death): ChaosCase {
  return {
    name: `killed at write ${death.write} (${death.moment}) while it serves, and started again`,
    run: () =>
      withFolder(async (folder) => {
        // One process serves before the client comes: its first opening is tried once.
        const first = await serve({ folder, death });
        const client = clientOf(folder);
        let current = first;
        let isOver = false;
        const supervised = (async () => {
          await first.gone;
          while (!isOver) {
            current = await serve({ folder, death: never });
            if (isOver) await current.stop('SIGKILL');
            else await current.gone;
          }
        })();
        try {
          const told = await live(client, folder);
          isOver = true;
          client.close();
          await current.stop('SIGTERM');
          await supervised;
          await assertTold(folder, told);
        } finally {
          isOver = true;
          client.close();
          await current.stop('SIGKILL');
          await supervised;
        }
      }),
  };
}

/** What was told is what is stored: whole, once, in order; and what must not happen twice did not. */
async function assertTold(folder: string, { seen, record }: Told): Promise<void> {
  const all = await storedEvents(folder);
  const own = all.filter((event) => event.sessionId === sessionId);
  const end = own.findIndex(({ type }) => type === 'turn.ended') + 1;
  assert.deepEqual(
    seen.map(({ id }) => id),
    own.slice(0, end).map(({ id }) => id),
  );
  assert.equal(record.type, 'completed');
  for (const text of ['go', 'and mind the gap']) {
    const said = own.filter(
      (event) => event.type === 'entry.completed' && JSON.stringify(event.entry).includes(`"${text}"`),
    );
    assert.equal(said.length, 1, `"${text}" is there ${said.length} times`);
  }
  const world = join(folder, 'world');
  const charges = existsSync(world) ? readFileSync(world, 'utf8').trimEnd().split('\n') : [];
  // Killed in the middle it may have happened without a result, and is not tried again; the second one the hook forbids.
  assert.ok(charges.length <= 1 && !charges.includes('charge 2'), `charged: ${charges.join()}`);
  const turns = all.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []));
  const ended = all.flatMap((event) => (event.type === 'turn.ended' ? [event.turnId] : []));
  assert.deepEqual(ended.toSorted(), turns.toSorted(), 'a turn has no record');
}

/** What another host has otherwise, and how it is named as missing there. */
const lacking = [
  ['hook', 'hook "guard"'],
  ['tool', 'tool "charge"'],
  ['folder', 'folder /work'],
] as const;

const parkedCase: ChaosCase = {
  name: 'hosts without the hook, the tool or the folder park what a killed one left, and the right one goes on',
  essential: true,
  run: () =>
    withFolder(async (folder) => {
      const first = await serve({ folder, death: never });
      const client = clientOf(folder);
      let right: ServingProcess | undefined;
      try {
        const told = await live(client, folder, async () => {
          await first.stop('SIGKILL');
          await goThroughStrangers(folder);
          right = await serve({ folder, death: never });
          assert.deepEqual(right.recovered, [{ outcome: 'continued' }]);
        });
        await right?.stop('SIGTERM');
        await assertTold(folder, told);
      } finally {
        client.close();
        await Promise.all([first.stop('SIGKILL'), right?.stop('SIGKILL')]);
      }
    }),
};

/** One host after another comes upon what the killed one left. */
async function goThroughStrangers(folder: string): Promise<void> {
  const before = await storedEvents(folder);
  for (const [lacks, missing] of lacking) {
    const stranger = await serve({ folder, death: never, lacks });
    await stranger.stop('SIGTERM');
    assert.deepEqual(stranger.recovered, [{ outcome: 'parked', missing: [missing] }]);
  }
  const parked = (await storedEvents(folder)).slice(before.length);
  const ran = parked.flatMap(({ type }) => (/^(model|tool|hook)\./.test(type) ? [type] : []));
  assert.deepEqual(ran, [], 'it ran on a host that lacks what it was started with');
  const notices = parked.flatMap((event) => (event.type === 'notice' ? [event.details?.['status']] : []));
  // Each says so of the session, and may of the subagent below it.
  assert.ok(notices.length >= lacking.length && notices.every((status) => status === 'parked'));
}

async function storedEvents(folder: string): Promise<AnyEvent[]> {
  const store = createFileStore({ home: join(folder, 'home') });
  try {
    return await Array.fromAsync(store.read(sessionId));
  } finally {
    await store.close();
  }
}

async function withFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rondo-served-'));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
