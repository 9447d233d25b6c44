import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { createRandom, type Random } from '../stream/random.ts';
import { expectedReply } from './expected-reply.ts';
import { type FuzzedHost, openFuzzedHost, type Transport } from './fuzzed-host.ts';
import { mutateMessage } from './mutate-message.ts';
import { sampleMessages } from './sample-messages.ts';

const messages = 100_000;
const messagesOfCase = 1_000;
/** Enough to leave something behind, where something is left. */
const messagesOfHeap = 400;
/** Messages that are under way at once. */
const messagesOfRound = 50;
/** An interrupt may take five seconds; nothing takes more. */
const longestMs = 60_000;
/** What the heap may differ by once everything is closed: compiled code, and what the engine itself keeps. */
const heldBytes = 16 * 1024 * 1024;

const transports: readonly Transport[] = ['websocket', 'lines'];

/** What a client may say, damaged: each request gets one answer, each fault one error, and the host goes on. */
export const mutatedMessages: ChaosFamily = {
  name: 'mutated messages',
  atOnce: 1,
  cases: () => Promise.resolve([...transports.map(heapReturns), ...damaged()]),
};

function damaged(): readonly ChaosCase[] {
  return Array.from({ length: messages / messagesOfCase }, (_, index): ChaosCase => {
    const transport = transports[index % transports.length] ?? 'lines';
    return {
      name: `${transport}: seed ${index}, ${messagesOfCase} messages`,
      run: async () => await play(transport, index),
    };
  });
}

function heapReturns(transport: Transport): ChaosCase {
  return {
    name: `${transport}: the heap is what it was, when the host has closed`,
    essential: true,
    async run() {
      await play(transport, messages, messagesOfHeap);
      const before = heapBytes();
      for (let seed = 1; seed <= 3; seed += 1) await play(transport, messages + seed, messagesOfHeap);
      const held = heapBytes() - before;
      assert.ok(held < heldBytes, `the heap has grown by ${held} bytes`);
    },
  };
}

/** Says damaged messages to a new host, and holds each round against what it must answer. */
async function play(transport: Transport, seed: number, count = messagesOfCase): Promise<void> {
  await using host = await openFuzzedHost(transport);
  const random = createRandom(seed);
  const wire = createWire(host);
  await wire.ask('host/initialize', { protocolVersion: 1 });
  for (let said = 0; said < count; said += messagesOfRound) {
    const texts = await nextRound(host, wire, random);
    const replies = await wire.say(texts);
    try {
      assertReplies(texts, replies);
    } catch (error) {
      throw new Error(`message ${said} and after, of seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
  assert.deepEqual(host.faults, []);
}

/** A session of its own for each round: a damaged message may well cancel or terminate the one that it names. */
async function nextRound(host: FuzzedHost, wire: Wire, random: Random): Promise<readonly string[]> {
  const { bindingId } = host;
  const { sessionId } = (await wire.ask('session/create', { bindingId })) as { sessionId: string };
  const content = [{ type: 'text', text: 'begin' }];
  const { turnId } = (await wire.ask('turn/start', { sessionId, bindingId, content })) as { turnId: string };
  const samples = sampleMessages({ sessionId, turnId, bindingId });
  return Array.from({ length: messagesOfRound }, (_, index) => {
    const message = random.pick(samples);
    // Now and then an ID that another one has.
    const id = random.below(10) === 0 ? random.below(messagesOfRound) : index;
    return mutateMessage('id' in message && message.id !== null ? { ...message, id } : message, random);
  }).filter((text) => text.trim() !== '');
}

interface Wire {
  ask(method: string, params: object): Promise<unknown>;
  /** Says the texts and gives every reply to them, once a request behind them has been answered as well. */
  say(texts: readonly string[]): Promise<readonly Reply[]>;
}

interface Reply {
  readonly id: string | number | null;
  readonly error?: { readonly data?: { readonly code?: unknown } };
  readonly result?: unknown;
}

function createWire({ send, onText }: FuzzedHost): Wire {
  let replies: Reply[] = [];
  let arrived = (): void => {};
  let asked = 0;
  onText((text) => {
    const frame = JSON.parse(text) as Reply | { readonly method: string };
    // Events of a subscription that a damaged message opened.
    if ('method' in frame) return;
    replies.push(frame);
    arrived();
  });

  async function until(done: () => boolean, what: () => string): Promise<void> {
    const late = AbortSignal.timeout(longestMs);
    while (!done()) {
      await new Promise<void>((resolve, reject) => {
        arrived = resolve;
        late.onabort = () => reject(new Error(`no answer: ${what()}`));
      });
    }
  }

  async function ask(method: string, params: object): Promise<unknown> {
    asked += 1;
    const id = `asked ${asked}`;
    send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const isAnswer = (reply: Reply): boolean => reply.id === id;
    await until(
      () => replies.some(isAnswer),
      () => `${method} under ${id}`,
    );
    const answer = replies.find(isAnswer);
    replies = replies.filter((reply) => !isAnswer(reply));
    assert.ok(answer !== undefined && 'result' in answer, `${method} was answered ${JSON.stringify(answer)}`);
    return answer.result;
  }

  return {
    ask,
    async say(texts) {
      replies = [];
      for (const text of texts) send(text);
      const owed = texts.filter((text) => expectedReply(text).count === 1).length;
      await until(
        () => replies.length >= owed,
        () => `${replies.length} of ${owed} replies`,
      );
      await ask('session/list', { limit: 1 });
      return replies;
    },
  };
}

/** One reply for each text that is owed one, under its ID; under none for one whose ID was in use. */
function assertReplies(texts: readonly string[], replies: readonly Reply[]): void {
  const owed = new Map<string | number | null, number>();
  const count = (id: string | number | null, by: number) => owed.set(id, (owed.get(id) ?? 0) + by);
  let total = 0;
  for (const text of texts) {
    const expected = expectedReply(text);
    if (expected.count === 0) continue;
    total += 1;
    count(expected.id, 1);
  }
  assert.equal(replies.length, total, `${replies.length} replies to ${total} messages`);
  for (const { id, error, result } of replies) {
    assert.notEqual(error === undefined, result === undefined, 'a reply is a result or an error');
    assert.notEqual(error?.data?.code, 'internal', `a fault: ${JSON.stringify(error)}`);
    count(id, -1);
  }
  for (const [id, left] of owed) {
    if (id === null) continue;
    assert.ok(left >= 0, `more replies than messages under ${JSON.stringify(id)}`);
    count(null, left);
  }
  assert.equal(owed.get(null) ?? 0, 0, 'a reply has the ID of no message');
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round += 1) collect();
  return process.memoryUsage().heapUsed;
}
