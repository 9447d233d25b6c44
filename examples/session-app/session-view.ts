// What a window onto a session shows and remembers: it keeps a cursor, its commands return when they are accepted, and
// closing it stops nothing. It knows no page, so that a test, a terminal or a framework can be the page.
import { allowApproval, denyApproval, type Client, type Session } from '@rondo/client';
import type { StreamEvent } from '@rondo/protocol';

/** Where a view keeps what must outlive it: a browser's `localStorage`, or a `Map` of one's own. */
export interface Memory {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface Question {
  readonly id: string;
  readonly turnId: string;
  readonly title: string;
}

/** Something that was said, or is being said: then it grows, and comes whole at its end. */
export interface Line {
  readonly id: string;
  readonly who: 'you' | 'agent';
  text: string;
  isWhole: boolean;
}

/** What is to be seen. A view that is opened again starts from what it had seen. */
export interface Seen {
  readonly lines: Line[];
  readonly questions: Question[];
  cursor?: string;
}

export interface SessionView {
  readonly seen: Seen;
  send(text: string): Promise<void>;
  answer(question: Question, isAllowed: boolean): Promise<void>;
  /** Stops looking. The session goes on. */
  close(): void;
  readonly closed: Promise<void>;
}

export function openSessionView(
  client: Client,
  session: Session,
  { memory, show }: { readonly memory: Memory; readonly show: (seen: Seen) => void },
): SessionView {
  const key = `rondo:${session.id}`;
  const seen: Seen = JSON.parse(memory.getItem(key) ?? '{"lines":[],"questions":[]}');
  const leaving = new AbortController();

  function say(line: Line): void {
    const index = seen.lines.findIndex(({ id }) => id === line.id);
    if (index < 0) seen.lines.push(line);
    else seen.lines[index] = line;
  }

  function write(id: string, text: string): void {
    const before = seen.lines.find((line) => line.id === id);
    say({ id, who: 'agent', text: (before?.text ?? '') + text, isWhole: false });
  }

  function drop<Item extends { readonly id: string }>(items: Item[], id: string): void {
    const index = items.findIndex((item) => item.id === id);
    if (index >= 0) items.splice(index, 1);
  }

  function take(event: StreamEvent): void {
    switch (event.type) {
      case 'text.delta':
        return write(event.entryId, event.text);
      case 'entry.completed': {
        const { entry } = event;
        if (entry.type !== 'assistant' && (entry.type !== 'message' || entry.role !== 'user')) return;
        const text = entry.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
        if (text !== '') say({ id: entry.id, who: entry.type === 'assistant' ? 'agent' : 'you', text, isWhole: true });
        return;
      }
      case 'entry.discarded':
        return drop(seen.lines, event.entryId);
      case 'callback.opened': {
        const { callback, turnId } = event;
        if (callback.type === 'approval') seen.questions.push({ id: callback.id, turnId, title: callback.title });
        return;
      }
      case 'callback.resolved':
        return drop(seen.questions, event.callbackId);
      default:
    }
  }

  async function follow(): Promise<void> {
    const { signal } = leaving;
    const from = seen.cursor === undefined ? {} : { after: seen.cursor };
    for await (const event of session.events({ ...from, deltas: true, signal })) {
      take(event);
      if ('id' in event) {
        seen.cursor = event.id;
        // What is only being written is not remembered: whoever looks again gets it from its beginning.
        memory.setItem(key, JSON.stringify({ ...seen, lines: seen.lines.filter(({ isWhole }) => isWhole) }));
      }
      show(seen);
    }
  }

  show(seen);
  const closed = follow().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return {
    seen,
    async send(text) {
      await session.sendMessage(text);
    },
    async answer({ id, turnId }, isAllowed) {
      await session.turn(turnId).answer(id, isAllowed ? allowApproval() : denyApproval({ message: 'Not today.' }));
    },
    close: () => leaving.abort(),
    closed,
  };
}
