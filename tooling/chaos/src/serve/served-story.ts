import assert from 'node:assert/strict';
import { allowApproval, type Client, type Session } from '@rondo/client';
import type { AnyEvent, TurnRecord } from '@rondo/protocol';
import { bindingId } from './served-agent.ts';

export const sessionId = 'e0000000-0000-4000-8000-00000000c4a0';

/** Everything that is said, each under a key of its own. */
export const said = ['go', 'and mind the gap', 'and then?'] as const;

/** What two programs were told that lived through the story together. */
export interface Told {
  /** Durable events as each client got them, in the order in which they came. */
  readonly fast: readonly AnyEvent[];
  readonly slow: readonly AnyEvent[];
  /** Of the turn that was started, and of the question in it. */
  readonly turnId: string;
  readonly questionId: string;
  readonly record: TurnRecord;
}

export interface ServedStoryOptions {
  /** A client of the host that comes back by itself. */
  readonly connect: () => Client;
  /** Called at the question; when it resolves, three calls are in flight, and the story goes on. */
  readonly whenAsked: () => Promise<void>;
  /** Lets them go on. */
  readonly release: () => void;
  /**
   * What both say at the question they say one after the other. A message that comes to a session whose log has just failed
   * opens it again and settles its turn, which is another story.
   */
  readonly oneByOne?: boolean;
  /** Does one thing that a client asks for; once, unless said. */
  readonly attempt?: <Result>(what: (client: Client) => Promise<Result>, client: Client) => Promise<Result>;
}

/**
 * Two clients of one host, each over a connection of its own: one starts, steers, answers and waits, and both send the same
 * message for later under one key. The other reads nothing but the first event until all is over. Neither knows of deaths.
 */
export async function liveServedStory(options: ServedStoryOptions): Promise<Told> {
  const { whenAsked, release, oneByOne = false, attempt = (what, client) => what(client) } = options;
  const [one, other] = [options.connect(), options.connect()];
  const ofSession = (client: Client): Session => client.session(sessionId, { bindingId });
  try {
    // A first opening is tried once.
    await Promise.all([one, other].map((client) => Array.fromAsync(client.listSessions({ limit: 1 }))));
    await attempt((client) => client.createSession({ bindingId, sessionId, idempotencyKey: 'session' }), one);
    const turn = await attempt((client) => ofSession(client).startTurn(said[0], { idempotencyKey: said[0] }), one);
    if (turn.type !== 'turn') throw new Error(`the session is ${turn.type}`);
    const isOver = Promise.withResolvers<void>();
    const following = Promise.all([
      follow(one, attempt).finally(isOver.resolve),
      follow(other, attempt, () => isOver.promise),
    ]);
    following.catch(() => {});

    const turnOf = (client: Client) => ofSession(client).turn(turn.id);
    const blocked = await attempt((client) => turnOf(client).result(), one);
    if (blocked.type !== 'blocked') throw new Error(`nobody was asked: the turn is ${blocked.type}`);
    const [question] = blocked.callbacks;
    if (question?.type !== 'approval') throw new Error(`the question is ${question?.type}`);
    await whenAsked();
    const sendLater = (by: Client) =>
      attempt((client) => ofSession(client).sendMessage(said[2], { idempotencyKey: said[2], delivery: 'next' }), by);
    const steering = attempt((client) => turnOf(client).steer(said[1], { idempotencyKey: said[1] }), one);
    if (oneByOne) await steering;
    const sending = sendLater(one);
    if (oneByOne) await sending;
    const [steered, ofOne, ofOther] = await Promise.all([steering, sending, sendLater(other)]);
    assert.equal(steered.type, 'turn');
    assert.deepEqual(ofOne, ofOther, 'one message was taken for two');
    release();
    // Sent again after a death it may find its own answer.
    const answered = await attempt((client) => turnOf(client).answer(question.id, allowApproval()), one);
    assert.match(answered.type, /^(answered|alreadySettled)$/);
    const record = await attempt((client) => turnOf(client).result({ after: blocked }), one);
    const [fast, slow] = await following;
    return { fast, slow, turnId: turn.id, questionId: question.id, record };
  } finally {
    one.close();
    other.close();
  }
}

/** The session's events up to the end of its second turn; behind the first one only when it may go on. */
async function follow(
  client: Client,
  attempt: NonNullable<ServedStoryOptions['attempt']>,
  mayGoOn: () => Promise<void> = () => Promise.resolve(),
): Promise<AnyEvent[]> {
  const seen: AnyEvent[] = [];
  const ends = (): number => seen.filter(({ type }) => type === 'turn.ended').length;
  await attempt(async () => {
    const after = seen.at(-1)?.id;
    for await (const event of client.session(sessionId).events(after === undefined ? {} : { after })) {
      seen.push(event);
      if (seen.length === 1) await mayGoOn();
      if (ends() === 2) return;
    }
    throw new Error('the session is over');
  }, client);
  return seen;
}
