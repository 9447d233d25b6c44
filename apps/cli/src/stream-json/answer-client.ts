import { answerInitialize } from './answer-initialize.ts';
import { beginWork } from './begin-work.ts';
import { control } from './control-requests.ts';
import type { MessageQueue } from './message-queue.ts';
import type { PeerSession } from './peer-session.ts';
import type { Frame } from './read-frames.ts';

/** What stands in the answer to a control request of the client beside its ID. What it throws is the answer of a failure. */
export async function answerClient(session: PeerSession, subtype: string, fields: Frame): Promise<object> {
  if (subtype === 'initialize') return await answerInitialize(session, fields);
  if (subtype === 'end_input') return endMessages(session);
  const { query } = await beginWork(session);
  const { fromControl: serversOf, receive } = session.servers;
  const response = await control(subtype, fields, { query, serversOf, receive });
  const told = subtype === 'interrupt' ? namedOnly(session.messages, response) : response;
  return told === undefined ? {} : { response: told };
}

/** No more messages come, but the client still answers what it is asked. */
function endMessages({ messages, course, desk, over }: PeerSession): object {
  messages.end();
  if (course.work === undefined) void Promise.resolve().then(desk.settled).then(over.resolve);
  return {};
}

/** The client knows of the messages that it named. */
function namedOnly(
  { isNamed }: MessageQueue,
  { still_queued: queued = [], cancelled }: { still_queued?: string[]; cancelled?: string[] } = {},
): object {
  return {
    still_queued: queued.filter(isNamed),
    ...(cancelled === undefined ? {} : { cancelled: cancelled.filter(isNamed) }),
  };
}
