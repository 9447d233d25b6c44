import type { Query } from '@rondo/sdk';
import { answerClient } from './answer-client.ts';
import { beginWork } from './begin-work.ts';
import { createPeerSession, type PeerParts } from './create-peer-session.ts';
import { keepAlive } from './keep-alive.ts';
import { leaveIfBlocked } from './leave-if-blocked.ts';
import type { PeerSession } from './peer-session.ts';
import type { Frame } from './read-frames.ts';

/** The session of one client, at this end of the wire. */
export interface Peer {
  /** @throws Error for a frame that cannot be what it says it is. */
  take(frame: Frame): void;
  /** Resolves once the client has read enough of what it was told to be listened to again. */
  room(): Promise<void>;
  /** The client says no more: what was asked is done, then it is over. */
  end(): void;
  /** What the client says cannot be understood: nothing more is done. */
  fail(error: unknown): void;
  /** A signal came: the turn is interrupted, and what waits is not begun. */
  stop(): void;
  /** Resolves once all is done and told. */
  readonly over: Promise<void>;
  readonly exitCode: number;
}

export function createPeer(parts: PeerParts): Peer {
  const session = createPeerSession(parts, (subtype, fields) => answerClient(session, subtype, fields));
  const { course, over, wire } = session;
  return {
    over: over.promise,
    room: wire.room,
    get exitCode() {
      return course.exitCode;
    },
    take: (frame) => take(session, frame),
    end: () => end(session),
    fail(error) {
      parts.context.say(error instanceof Error ? error.message : String(error));
      course.exitCode = 1;
      withQuery(session, (query) => query.close());
    },
    stop: () => stop(session),
  };
}

function take(session: PeerSession, frame: Frame): void {
  const { messages, requests, desk, context } = session;
  if (frame['type'] === 'user') {
    if (messages.send(frame)) beginWork(session).catch(() => {});
    else context.say('A message was dropped, since it came after end_input or after the session had ended.');
  } else if (frame['type'] === 'control_response') requests.answer(frame);
  else if (frame['type'] === 'control_cancel_request') desk.cancel(frame['request_id']);
  else if (frame['type'] === 'control_request') desk.take(frame);
}

function end(session: PeerSession): void {
  session.course.isDeaf = true;
  session.messages.end();
  session.requests.end();
  if (session.course.work === undefined) return session.over.resolve();
  keepAlive(session.wire, session.over.promise);
  leaveIfBlocked(session);
}

function stop(session: PeerSession): void {
  void session.states.tellLeaving();
  session.course.isDeaf = true;
  session.messages.end('drop');
  leaveIfBlocked(session);
  if (session.course.leftOpen === undefined)
    withQuery(session, (query) => void query.interrupt({ cancelQueued: true }).catch(() => {}));
}

function withQuery({ course, over }: PeerSession, act: (query: Query) => void): void {
  if (course.work === undefined) over.resolve();
  // What kept it from being started has been told.
  else course.work.then(({ query }) => act(query)).catch(() => {});
}
