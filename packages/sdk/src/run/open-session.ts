import { randomUUID } from 'node:crypto';
import type { Client, Session } from '@rondo/client';
import type { SessionInfo } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { sweepOrphanedCommands } from '../options/load-sandbox.ts';
import type { Options } from '../options/options.ts';
import { lastSession } from '../sessions/last-session.ts';

/** The session of a run, and where its own events begin. */
export interface RunSession {
  readonly session: Session;
  /** Absent for a new session, whose events all belong to the run. */
  readonly after?: string;
  /** A turn that a former process left unfinished, which goes on. */
  readonly openTurnId?: string;
  /** One that cannot go on here, since what it was started with is missing. It waits until something new is said. */
  readonly parkedTurnId?: string;
}

/**
 * The stored session that the options ask to go on with, or undefined for a new one.
 * @throws RondoError `session.not_found`.
 */
export async function findSession(client: Client, options: Options, cwd: string): Promise<SessionInfo | undefined> {
  if (options.resume !== undefined) return await client.session(options.resume).read();
  if (options.continue !== true) return undefined;
  const last = await lastSession(client, { cwd });
  if (last !== undefined) return last;
  throw new RondoError(
    'session.not_found',
    `there is no session of ${cwd} to continue; leave out continue to start one`,
    {
      details: { cwd },
    },
  );
}

export interface OpenParts {
  readonly client: Client;
  readonly bindingId: string;
  readonly options: Options;
  readonly found: SessionInfo | undefined;
  /** The cursor of the last message that is taken along; the end unless given. */
  readonly from?: string | undefined;
  /** A turn left at a question goes on while the prompt has said nothing, which only a streaming prompt can do. */
  readonly streaming: boolean;
}

/** @throws RondoError `session.exists`, `session.in_use`, `session.config_mismatch`, `turn.parked`. */
export async function openSession(parts: OpenParts): Promise<RunSession> {
  const { found, options } = parts;
  if (found === undefined) return { session: await createSession(parts) };
  if (options.forkSession === true) return await forkSession(parts, found);
  const asks = parts.streaming && found.status === 'blocked';
  const { from } = parts;
  const unfinished = from === undefined ? (options.unfinished ?? (asks ? 'continue' : 'settle')) : 'settle';
  if (found.activeTurnId !== undefined || found.status !== 'waiting') void sweepOrphanedCommands();
  try {
    const opened = await parts.client.openSession(found.id, {
      bindingId: parts.bindingId,
      unfinished,
      ...(from === undefined ? {} : { after: from }),
    });
    const { session, info, openTurn, parked } = opened;
    const { title } = options;
    const named = title === undefined || found.title !== undefined ? undefined : await session.update({ title });
    if (openTurn === undefined) return { session, after: (named ?? info).cursor };
    if (parked.length === 0) return { session, after: info.cursor, openTurnId: openTurn.id };
    if (options.unfinished === 'continue') throw parkedError(openTurn.id, parked);
    return { session, after: info.cursor, parkedTurnId: openTurn.id };
  } catch (error) {
    if (!isRondoError(error, 'session.config_mismatch')) throw error;
    const message = `${error.message}. forkSession: true goes on in a new session`;
    throw new RondoError('session.config_mismatch', message, { details: error.details, cause: error });
  }
}

function parkedError(turnId: string, missing: readonly string[]): RondoError {
  return new RondoError(
    'turn.parked',
    `turn ${turnId} cannot go on here, it needs ${missing.join(', ')}. Continue it with the program and options that started it, or say something new, which ends it`,
    { details: { turnId, missing: [...missing] } },
  );
}

/**
 * A session under an ID of our own making exists nowhere, so its first turn need not wait until its beginning is on
 * disk: requests are taken in order.
 */
async function createSession({ client, bindingId, options }: OpenParts): Promise<Session> {
  const sessionId = options.sessionId?.toLowerCase() ?? randomUUID();
  const created = client.createSession({
    bindingId,
    sessionId,
    ...(options.title === undefined ? {} : { title: options.title }),
  });
  if (options.sessionId !== undefined) return await created;
  // Should it fail, the turn's start fails with it.
  created.catch(() => {});
  return client.session(sessionId, { bindingId });
}

async function forkSession({ client, bindingId, options, from }: OpenParts, found: SessionInfo): Promise<RunSession> {
  const newSessionId = options.sessionId?.toLowerCase();
  const { title } = options;
  const session = await client.forkSession(found.id, {
    bindingId,
    ...(newSessionId === undefined ? {} : { newSessionId }),
    ...(title === undefined ? {} : { title }),
    ...(from === undefined ? {} : { after: from }),
  });
  const { cursor } = await session.read();
  return { session, after: cursor };
}
