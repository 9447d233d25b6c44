import type { ConnectionStatus } from '@rondo/client';
import type { CanUseTool } from '@rondo/sdk';
import { showTranscript } from '../sessions/transcript.ts';
import { listenForInterruption } from '../process/interruption.ts';
import { createConversationView } from '../terminal/conversation-view.ts';
import { createHeldMessages } from '../terminal/held-messages.ts';
import { type Keyboard, openKeyboard } from '../terminal/keyboard.ts';
import { createPainter } from '../terminal/painter.ts';
import { createPermissionQuestion } from '../terminal/permission-question.ts';
import { printableText } from '../terminal/printable-text.ts';
import { type Attachment, attach } from './attachment.ts';
import type { AttachTarget } from './attach-target.ts';

const graceMs = 7_000;
/** Enough to see where the session is. */
const shownMessages = 8;
const help = 'What you type goes to the session. Ctrl-C interrupts its turn, Ctrl-D leaves it as it is.';

export interface TerminalAttachOptions {
  /** Who hears from here on what becomes of the connection. */
  readonly onConnection: (listener: (status: ConnectionStatus) => void) => void;
}

/** Shows the session on the terminal and takes what is typed; on anything else it only shows. */
export async function attachOnTerminal(target: AttachTarget, { onConnection }: TerminalAttachOptions): Promise<number> {
  const paint = createPainter(process.stdout);
  process.stdout.on('error', () => undefined);
  const write = (text: string): void => void process.stdout.write(text);
  const width = (): number => process.stdout.columns || 80;
  const { cwd } = target.session;
  const view = createConversationView({ write, paint, cwd, width: width() });
  const held = createHeldMessages(view.show);
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const keyboard = isTerminal ? openKeyboard(process.stdin, process.stdout) : undefined;
  /** Resolves when something is typed that no prompt has taken yet. From the start: nobody waits for what has been said to be shown. */
  let typing = Promise.withResolvers<void>();
  if (keyboard !== undefined) keyboard.onTyping = () => typing.resolve();
  const left = new AbortController();
  const note = (text: string): void => view.line(paint('yellow', printableText(text)));
  const exit = (code: number): void => {
    keyboard?.close();
    process.exit(code);
  };
  using interruption = listenForInterruption({ graceMs, exit });
  interruption.signal.addEventListener('abort', () => left.abort());
  onConnection((status) => {
    if (status.type === 'waiting') note(`${status.error.message}. Trying again.`);
  });
  try {
    view.line(paint('dim', printableText(`Session ${target.session.id} in ${cwd}`)));
    if (keyboard !== undefined) view.line(paint('dim', help));
    const attachment = await attach(target.client, target.session, {
      history(messages) {
        const hidden = messages.length - shownMessages;
        if (hidden > 0) view.line(paint('dim', `(${hidden} earlier messages)`));
        showTranscript(messages.slice(-shownMessages), view, paint);
      },
      show(message) {
        if (message.type === 'user' && 'isReplay' in message) showTranscript([message], view, paint);
        else held.show(message);
      },
      note,
      ...(keyboard === undefined ? {} : { ask: askOn(keyboard) }),
    });
    try {
      if (keyboard === undefined) await Promise.race([attachment.over, aborted(left.signal)]);
      else await converse(attachment, keyboard);
    } finally {
      await attachment.close();
    }
    return interruption.exitCode ?? 0;
  } finally {
    keyboard?.close();
  }

  /** As in a conversation of one's own; but who leaves has answered nothing. */
  function askOn(keys: Keyboard): CanUseTool {
    const question = createPermissionQuestion({
      keyboard: {
        async readLine(options) {
          const answer = await keys.readLine(options);
          if (answer.type === 'end') left.abort();
          return answer;
        },
      },
      write,
      paint,
      cwd,
      width,
    });
    return async (...call) => {
      await held.shown(call[2].toolUseID);
      using _ = held.hold();
      const answer = await question(...call);
      // Said before what was held meanwhile is shown, which may be what came of the answer.
      if (call[2].signal.aborted && !left.signal.aborted) note('It was answered elsewhere.');
      // Null leaves the question open.
      return left.signal.aborted ? null : answer;
    };
  }

  async function converse(attachment: Attachment, keys: Keyboard): Promise<void> {
    const interrupt = (): void => {
      attachment.interrupt().catch((error: unknown) => note(String(error)));
    };
    let isOver = false;
    const over = attachment.over.finally(() => {
      isOver = true;
      left.abort();
    });
    over.catch(() => {});
    keys.onInterrupt = interrupt;
    keys.onEnd = () => left.abort();
    while (!left.signal.aborted) {
      const { idle } = attachment;
      if (idle.aborted) {
        const isTyping = await Promise.race([
          typing.promise.then(() => true),
          attachment.settled().then(() => false),
          aborted(left.signal).then(() => false),
        ]);
        if (!isTyping) continue;
      }
      await prompt(attachment, keys, interrupt);
    }
    if (isOver) {
      await over;
      view.line(paint('dim', 'The session has ended.'));
    } else view.line('');
  }

  /** One line for the session: between turns, or, while what it says waits, in the middle of one. */
  async function prompt(attachment: Attachment, keys: Keyboard, interrupt: () => void): Promise<void> {
    const { idle } = attachment;
    const inTurn = idle.aborted;
    const signal = inTurn ? left.signal : AbortSignal.any([idle, left.signal]);
    using _ = inTurn ? held.hold() : undefined;
    if (inTurn) view.line('');
    const answer = await keys.readLine({ prompt: `${paint('green', '>')} `, purpose: 'prompt', signal });
    typing = Promise.withResolvers();
    if (answer.type === 'end') left.abort();
    else if (answer.type === 'interrupt') {
      if (inTurn && !signal.aborted) interrupt();
      else if (!signal.aborted) view.line(paint('dim', 'Nothing is at work. Ctrl-D leaves.'));
    } else if (answer.text.trim() !== '') {
      await attachment
        .send(answer.text)
        .catch((error: unknown) => note(error instanceof Error ? error.message : String(error)));
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
