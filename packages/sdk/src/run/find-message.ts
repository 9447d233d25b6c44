import type { Client } from '@rondo/client';
import type { AnyEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { lineUuidsOfEvent } from '../message/line-uuids-of-event.ts';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';

/** How many of a session's messages an error names, the last ones. */
const NAMED = 3;

interface Named {
  readonly uuid: string;
  readonly what: string;
}

/**
 * The cursor of the event that says the message of which `uuid` is a line: what the person said, a piece of a reply, the
 * result of a call. The session is read up to its end.
 * @throws RondoError `input.invalid` that says which messages there are, where none has that UUID.
 */
export async function findMessage(client: Client, sessionId: string, uuid: string): Promise<string> {
  const wanted = uuid.toLowerCase();
  const last: Named[] = [];
  let messages = 0;
  let found: string | undefined;
  /** The event of the last message, which notes of the runtime's own, such as that of an interruption, stand behind. */
  let before: string | undefined;
  const transcript = createTranscriptProjection(sessionId);
  let after: string | undefined;
  for (;;) {
    const page = await client.request('events/read', { sessionId, ...(after === undefined ? {} : { after }) });
    for (const event of page.events) {
      const said = lineUuidsOfEvent(event);
      const lines = transcript.push(event);
      if (said === undefined) {
        if (lines.some(({ uuid: line }) => line === wanted)) found = before;
        continue;
      }
      before = event.id;
      messages += 1;
      if (said.uuids.includes(wanted)) found = event.id;
      const [first] = said.uuids;
      if (first === undefined) continue;
      last.push({ uuid: first, what: describe(event) });
      if (last.length > NAMED) last.shift();
    }
    if (!page.more) break;
    after = page.cursor;
  }
  if (found !== undefined) return found;
  const named = last.map((one) => `${one.uuid} (${one.what})`).join(', ');
  throw new RondoError(
    'input.invalid',
    messages === 0
      ? `options.resumeSessionAt is ${uuid}, but nothing was said in session ${sessionId} yet.`
      : `options.resumeSessionAt is ${uuid}, which is the uuid of no message of session ${sessionId}. It has ${messages} messages, the last of them ${named}; getSessionMessages() gives them all.`,
    { details: { option: 'resumeSessionAt', uuid, sessionId, messages, last: last.map((one) => one.uuid) } },
  );
}

function describe(event: AnyEvent): string {
  if (event.type === 'tool.completed') return `result of ${event.name}`;
  if (event.type !== 'entry.completed' || event.entry.type === 'unknown') return event.type;
  const { entry } = event;
  const text =
    'content' in entry ? (entry.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('') : '';
  const words = text.replace(/\s+/g, ' ').trim();
  const role = entry.type === 'message' ? entry.role : 'assistant';
  return words === '' ? role : `${role}: ${words.length > 40 ? `${words.slice(0, 40)}…` : words}`;
}
