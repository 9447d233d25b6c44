import { randomUUID } from 'node:crypto';
import type { Busy, Queued, Turn } from '@rondo/client';
import type { SDKUserMessage, TurnInputBlock } from '@rondo/protocol';
import { isUuid, RondoError } from '@rondo/protocol/values';
import { readMessageOrigin, readUserMessage } from '../message/read-user-message.ts';
import { remainingLimits } from './remaining-limits.ts';
import type { RunState, WorkingRun } from './run-state.ts';
import { takeUntil } from './take-until.ts';

/** Says the one prompt. @throws RondoError `session.busy` when the session is at work for somebody else. */
export async function sayPrompt(run: WorkingRun, state: RunState, text: string): Promise<void> {
  const outcome = await send(run, state, undefined, (messageId) =>
    run.session.startTurn(text, { messageId, ...limitsLeft(run, state) }),
  );
  if (outcome.type === 'turn') return;
  const { id } = run.session;
  throw new RondoError('session.busy', `session ${id} is at work for somebody else; wait until its turn has ended`, {
    details: { sessionId: id },
  });
}

/** Says each message of a stream as it comes, until the stream or the input ends. Resolves with whether it was the stream. */
export async function sayMessages(
  run: WorkingRun,
  state: RunState,
  stream: AsyncIterable<SDKUserMessage>,
): Promise<boolean> {
  let isWhole = false;
  const onWhole = (): void => {
    isWhole = true;
  };
  for await (const message of takeUntil(stream, state.inputEnd.promise, onWhole)) {
    const content = [...state.kept, ...readUserMessage(message)];
    state.kept = message.shouldQuery === false ? content : [];
    if (message.shouldQuery !== false) await sayMessage(run, state, message, content);
  }
  return isWhole;
}

async function sayMessage(
  run: WorkingRun,
  state: RunState,
  message: SDKUserMessage,
  content: TurnInputBlock[],
): Promise<void> {
  await leaveOpenTurn(run);
  const delivery = message.priority === 'later' ? 'later' : 'join';
  const origin = readMessageOrigin(message);
  await send(run, state, message.uuid, (messageId) =>
    run.session.sendMessage(content, {
      messageId,
      delivery,
      ...limitsLeft(run, state),
      ...(origin === undefined ? {} : { origin }),
    }),
  );
}

/** Sends one message, and counts it as outstanding unless it was not taken. */
async function send(
  run: WorkingRun,
  state: RunState,
  uuid: string | undefined,
  request: (messageId: string) => Promise<Turn | Queued | Busy>,
): Promise<Turn | Queued | Busy> {
  const messageId = isUuid(uuid) ? uuid : randomUUID();
  run.work.sent(messageId, uuid !== undefined);
  const outcome = request(messageId);
  state.sending = outcome.then(
    (sent) => (sent.type === 'turn' ? sent : undefined),
    () => undefined,
  );
  try {
    const sent = await outcome;
    if (sent.type === 'busy') run.work.refused(messageId);
    return sent;
  } catch (error) {
    run.work.refused(messageId);
    throw error;
  }
}

function limitsLeft(run: WorkingRun, { options }: RunState): ReturnType<typeof remainingLimits> {
  return remainingLimits(options, run.projection.state.totalCostUsd - run.spentBefore);
}

/** A turn that still waits from before, for an answer or for what is missing here, gives way to what the person says now. */
async function leaveOpenTurn(run: WorkingRun): Promise<void> {
  const { openTurnId, parkedTurnId } = run;
  if (parkedTurnId !== undefined) await run.session.turn(parkedTurnId).interrupt();
  if (openTurnId === undefined || run.work.turnId() !== openTurnId) return;
  const turn = run.session.turn(openTurnId);
  if ((await turn.get()).type === 'blocked') await turn.interrupt();
}
