import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { connect, type Client } from '@rondo/client';
import { stdioChannel } from '@rondo/client/node';
import type { AnyEvent } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { createFileStore } from '@rondo/runtime/node';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';

const program = join(import.meta.dirname, 'owner-process.ts');
const bindingId = 'own';
const messagesEach = 200;
/** How many messages of one process are on their way at once. */
const atOnce = 8;
/** When the owner is killed: after that many answers to either process. */
const moments = [0, 1, 7, 20, 50, 100, 150, 200, 250, 300, 350, 380, 399];

/** Two processes at work with one session, the second through the first, which is killed. */
export const twoOwners: ChaosFamily = {
  name: 'owners of one session',
  atOnce: 1,
  cases: () => Promise.resolve(moments.map(killAfter)),
};

interface OwnerProcess {
  readonly client: Client;
  kill(): Promise<void>;
}

async function start(home: string): Promise<OwnerProcess> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ['--conditions=@rondo/source', program, home],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const client = connect(await stdioChannel({ input: child.stdout, output: child.stdin }));
  return {
    client,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function killAfter(answers: number): ChaosCase {
  return {
    name: `${messagesEach} messages of each of two processes, the owner killed after ${answers} answers`,
    async run() {
      const folder = await mkdtemp(join(tmpdir(), 'rondo-owners-'));
      const running: OwnerProcess[] = [];
      const begin = async (): Promise<OwnerProcess> => {
        const begun = await start(join(folder, 'home'));
        running.push(begun);
        return begun;
      };
      try {
        const [owner, other] = await Promise.all([begin(), begin()]);
        const { id } = await owner.client.createSession({ bindingId });
        let answered = 0;
        let killing: Promise<void> | undefined;
        const onAnswer = (): void => {
          answered += 1;
          if (answered >= answers) killing ??= owner.kill();
        };
        if (answers === 0) killing = owner.kill();
        const turns = new Map<string, string>();
        const cutOff = sendAll(owner.client, id, 'a', turns, onAnswer).catch((error: unknown) => {
          assert.ok(isRondoError(error, 'channel.closed'), `the owner's client was told: ${String(error)}`);
        });
        await Promise.all([cutOff, sendAll(other.client, id, 'b', turns, onAnswer)]);
        await killing;
        // Whoever was cut off sends everything again, and so does who was not.
        const again = await begin();
        await Promise.all([sendAll(again.client, id, 'a', turns), sendAll(other.client, id, 'b', turns)]);
        await untilAtRest(other.client, id);
        await assertEachOnce(join(folder, 'home'), id, turns);
      } finally {
        await Promise.all(running.map((process) => process.kill()));
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Sends the process's messages, in their order and several at once. A key that was answered before is answered the same. */
async function sendAll(
  client: Client,
  sessionId: string,
  who: string,
  turns: Map<string, string>,
  onAnswer: () => void = () => {},
): Promise<void> {
  const session = client.session(sessionId, { bindingId });
  let next = 0;
  const sendNext = async (): Promise<void> => {
    while (next < messagesEach) {
      const text = `${who}${next}`;
      const delivery = next % 3 === 0 ? 'next' : 'join';
      next += 1;
      const outcome = await session.sendMessage(text, { idempotencyKey: text, delivery });
      onAnswer();
      if (outcome.type !== 'turn') continue;
      const before = turns.get(text);
      assert.ok(
        before === undefined || before === outcome.id,
        `${text} is in turn ${outcome.id}, and was in ${before}`,
      );
      turns.set(text, outcome.id);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendNext));
}

async function untilAtRest(client: Client, sessionId: string): Promise<void> {
  const session = client.session(sessionId);
  const stop = new AbortController();
  try {
    for await (const event of session.events({ signal: stop.signal })) {
      if (event.type !== 'turn.ended') continue;
      const { status, cursor } = await session.read();
      if (status === 'waiting' && cursor === event.id) return;
    }
  } finally {
    stop.abort();
  }
}

/** Every message is in the conversation once, in the turn that its sender was told, and no turn has another's events in it. */
async function assertEachOnce(home: string, sessionId: string, turns: ReadonlyMap<string, string>): Promise<void> {
  const store = createFileStore({ home });
  const events = await Array.fromAsync(store.read(sessionId));
  await store.close();
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const said = new Map<string, string | undefined>();
  let active: string | undefined;
  for (const event of events) {
    if (event.type === 'turn.started') {
      assert.equal(active, undefined, `turn ${event.turnId} began inside turn ${active}`);
      active = event.turnId;
    }
    if ('turnId' in event && event.turnId !== undefined && isOfTurn(event))
      assert.equal(event.turnId, active, `${event.type} ${event.seq} of turn ${event.turnId} is inside turn ${active}`);
    if (event.type === 'turn.ended') active = undefined;
    for (const text of textsOf(event)) {
      assert.ok(!said.has(text), `${text} was said twice`);
      said.set(text, active);
    }
  }
  const expected = ['a', 'b'].flatMap((who) => Array.from({ length: messagesEach }, (_, index) => `${who}${index}`));
  assert.deepEqual([...said.keys()].toSorted(), expected.toSorted());
  for (const [text, turnId] of turns) assert.equal(said.get(text), turnId, `${text} is in another turn than was told`);
}

/** A message that waits may be for a turn to come. */
function isOfTurn({ type }: AnyEvent): boolean {
  return type !== 'message.queued' && type !== 'message.cancelled';
}

function textsOf(event: AnyEvent): string[] {
  if (event.type !== 'entry.completed' || event.entry.type !== 'message' || event.entry.role !== 'user') return [];
  return event.entry.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
