import { randomUUID } from 'node:crypto';
import type { Client } from '@rondo/client';
import type { OpenApproval, SDKMessage, SessionInfo, StreamEvent } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { agentBindingId, canUseToolAsker, createProjection, foldHistory, sessionBindingId } from '@rondo/sdk/host';
import type { CanUseTool } from '@rondo/sdk';

/** What an attachment shows, and whom it asks. */
export interface AttachmentFace {
  /** What was said before. */
  history(messages: readonly SDKMessage[]): void;
  show(message: SDKMessage): void;
  /** A line of our own. */
  note(text: string): void;
  /** Absent where nobody can be asked: then questions are shown. */
  readonly ask?: CanUseTool;
}

/** A session in another process, followed and steered. */
export interface Attachment {
  /** Resolves when the session has ended, or the attachment was closed. Rejects when it can be followed no further. */
  readonly over: Promise<void>;
  /** Aborts when a turn begins; then wait for `settled`. */
  readonly idle: AbortSignal;
  /** Resolves when no turn is at work. */
  settled(): Promise<void>;
  /** To the turn at work, or into one of its own. */
  send(text: string): Promise<void>;
  interrupt(): Promise<void>;
  /** Leaves. What is at work goes on, and what is asked stays open. */
  close(): Promise<void>;
}

type OpenQuestion = AbortController;

export async function attach(client: Client, info: SessionInfo, face: AttachmentFace): Promise<Attachment> {
  const session = client.session(info.id);
  const leaving = new AbortController();
  const projection = createProjection({ sessionId: info.id, includePartialMessages: true, replayUserMessages: true });
  const asker = face.ask === undefined ? undefined : canUseToolAsker(face.ask, { note: face.note });
  const questions = new Map<string, OpenQuestion>();
  const sent = new Set<string>();
  let activeTurnId = info.activeTurnId;
  let working = new AbortController();
  let rest = Promise.withResolvers<void>();
  if (activeTurnId === undefined) rest.resolve();
  else working.abort();

  const said: SDKMessage[] = [];
  await foldHistory({ client, sessionId: info.id, until: info.cursor }, projection, (lines) => {
    said.push(...lines.filter(({ type }) => type === 'user' || type === 'assistant'));
  });
  face.history(said);

  function see(event: StreamEvent): void {
    for (const message of projection.push(event)) {
      const isOwn = message.type === 'user' && message.uuid !== undefined && sent.delete(message.uuid);
      if (!isOwn) face.show(message);
    }
    if (event.type === 'turn.started') {
      activeTurnId = event.turnId;
      rest = Promise.withResolvers<void>();
      working.abort();
    } else if (event.type === 'turn.ended' && event.turnId === activeTurnId) {
      activeTurnId = undefined;
      withdraw(new Set());
      working = new AbortController();
      rest.resolve();
    } else if (
      event.type === 'callback.opened' ||
      event.type === 'callback.resolved' ||
      event.type === 'turn.updated'
    ) {
      void refresh();
    }
  }

  /** Takes back every question that is not open any more. */
  function withdraw(open: ReadonlySet<string>): void {
    for (const [id, question] of questions) {
      if (open.has(id)) continue;
      questions.delete(id);
      question.abort();
    }
  }

  /** The turn's record has every question that blocks it, those of its subagents too. */
  async function refresh(): Promise<void> {
    const turnId = activeTurnId;
    if (turnId === undefined) return;
    try {
      const record = await session.turn(turnId).get({ signal: leaving.signal });
      const callbacks = record.type === 'blocked' ? record.callbacks : [];
      const open = new Set(callbacks.flatMap((callback) => ('id' in callback ? [callback.id] : [])));
      withdraw(open);
      for (const callback of callbacks) {
        if (!('id' in callback) || questions.has(callback.id)) continue;
        const question = new AbortController();
        questions.set(callback.id, question);
        if (callback.type === 'approval' && asker !== undefined) void ask(callback, question.signal);
        else face.note(`A question is open: ${callback.title} (${callback.type}, ${callback.id})`);
      }
    } catch (error) {
      if (!leaving.signal.aborted) face.note(messageOf(error));
    }
  }

  async function ask(callback: OpenApproval, withdrawn: AbortSignal): Promise<void> {
    try {
      const signal = AbortSignal.any([withdrawn, leaving.signal]);
      const answer = await asker?.ask(callback, { signal });
      if (answer === undefined || signal.aborted) return;
      const params = { sessionId: info.id, callbackId: callback.id, answer };
      const outcome = await client.request('callback/answer', params);
      if (outcome.type !== 'answered') face.note('It was answered elsewhere.');
    } catch (error) {
      if (!leaving.signal.aborted) face.note(messageOf(error));
    }
  }

  async function follow(): Promise<void> {
    try {
      for await (const event of session.events({ after: info.cursor, deltas: true, signal: leaving.signal }))
        see(event);
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
  }
  const over = follow().finally(() => {
    leaving.abort();
    working.abort();
    rest.resolve();
  });
  over.catch(() => {});
  await refresh();

  async function send(text: string): Promise<void> {
    const messageId = randomUUID();
    sent.add(messageId);
    // Made here, so that whichever binding takes the message, it is taken once.
    const options = { messageId, idempotencyKey: messageId };
    try {
      await session.sendMessage(text, { ...options, bindingId: sessionBindingId(info.id) });
    } catch (error) {
      if (!isRondoError(error, 'binding.not_found')) throw error;
      await session
        .sendMessage(text, { ...options, bindingId: agentBindingId(info.agentName) })
        .catch((again: unknown) => {
          throw isRondoError(again, 'binding.not_found') ? nobody(info.id) : again;
        });
    }
  }

  return {
    over,
    get idle() {
      return working.signal;
    },
    settled: () => rest.promise,
    send,
    async interrupt() {
      if (activeTurnId !== undefined) await session.turn(activeTurnId).interrupt();
    },
    async close() {
      leaving.abort();
      await over.catch(() => {});
    },
  };
}

function nobody(sessionId: string): RondoError {
  return new RondoError(
    'binding.not_found',
    `No process is at work with this session, so that nobody takes a message. Go on with it: rondo --resume ${sessionId}`,
    { details: { sessionId } },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
