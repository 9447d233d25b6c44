import type { ChatRequest } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import { type Interruption, listenForInterruption } from '../process/interruption.ts';
import { version } from '../version.ts';
import { chooseModel } from './choose-model.ts';
import { chooseSession, chooseUnfinished } from './choose-session.ts';
import { chooseTrust } from './choose-trust.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { type Keyboard, openKeyboard } from './keyboard.ts';
import { createPainter, type Paint } from './painter.ts';
import { printableText } from './printable-text.ts';
import { showEarlier } from './show-earlier.ts';

/** A second Ctrl-C within this quits. */
const twiceMs = 1_000;
/** The runtime stops a turn within five seconds; a process that outlives that is stuck. */
const graceMs = 7_000;
const help = '/exit or Ctrl-D leaves. Ctrl-C interrupts the turn; twice, it quits.';

/** A conversation on the terminal, until the person leaves it. */
export async function runInteractive(asked: ChatRequest, context: CommandContext): Promise<number> {
  const paint = createPainter(process.stdout);
  // A terminal that goes away is told by its signal; what is written meanwhile has nowhere to go.
  process.stdout.on('error', () => undefined);
  const keyboard = openKeyboard(process.stdin, process.stdout);
  const exit = (code: number): void => {
    keyboard.close();
    process.exit(code);
  };
  using interruption = listenForInterruption({ graceMs, exit });
  try {
    if ((await chooseTrust(asked, keyboard)) === 'left') return 0;
    const session = await chooseSession(asked, keyboard);
    if (session === 'left') return 0;
    const chosen = session === undefined && asked.model === undefined ? await chooseModel(keyboard) : undefined;
    tell(paint('bold', `Rondo ${version}`), paint('dim', printableText(process.cwd())), paint('dim', help));
    if (session !== undefined) await showEarlier(session.sessionId, paint);
    const unfinished = session === undefined ? undefined : await chooseUnfinished(session.sessionId, keyboard);
    const conversation = openConversation(chosen === undefined ? asked : { ...asked, model: chosen.model }, {
      ...context,
      keyboard,
      paint,
      ...(chosen?.models === undefined ? {} : { models: chosen.models }),
      ...(session === undefined ? {} : { resume: session.sessionId }),
      ...(unfinished === undefined ? {} : { unfinished }),
    });
    try {
      await converse(conversation, { keyboard, paint, interruption, exit, first: asked.prompt });
    } finally {
      await conversation.close();
    }
    const { sessionId } = conversation;
    if (sessionId !== undefined && asked.persistSession) tell(paint('dim', `Go on with: rondo --resume ${sessionId}`));
    return interruption.exitCode ?? 0;
  } finally {
    keyboard.close();
  }
}

interface Conversing {
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  readonly interruption: Interruption;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  readonly first: string | undefined;
}

async function converse(conversation: Conversation, options: Conversing): Promise<void> {
  const { keyboard, paint, interruption, exit, first } = options;
  const pressed = countPresses(twiceMs);
  keyboard.onInterrupt = () => (pressed.again() === 1 ? conversation.interrupt() : exit(130));
  interruption.signal.addEventListener('abort', () => conversation.interrupt());

  if (first !== undefined) await conversation.send(first);
  while (!conversation.over && !interruption.signal.aborted) {
    const { idle } = conversation;
    const signal = AbortSignal.any([idle, interruption.signal]);
    const answer = await keyboard.readLine({ prompt: `${paint('green', '>')} `, purpose: 'prompt', signal });
    if (answer.type === 'line') pressed.forget();
    if (idle.aborted) {
      await conversation.settled();
    } else if (answer.type === 'end') {
      tell('');
      return;
    } else if (answer.type === 'interrupt') {
      if (pressed.again() > 1) interruption.interrupt(130);
      else if (!interruption.signal.aborted) tell('', paint('dim', 'Ctrl-C again quits.'));
    } else if (['/exit', '/quit'].includes(answer.text.trim())) {
      return;
    } else if (answer.text.trim() === '/help') {
      tell(help);
    } else if (/^\/model(\s|$)/.test(answer.text.trim())) {
      const session = conversation.sessionId === undefined ? '' : ` --resume ${conversation.sessionId.slice(0, 8)}`;
      tell(`Another model goes on with this: /exit, then rondo${session} --model MODEL. rondo models lists them.`);
    } else if (answer.text.trim() !== '') {
      await conversation.send(answer.text);
    }
  }
}

interface Presses {
  /** How often in a row it was pressed, each time within a moment of the last. */
  again(): number;
  /** Something else was done: the next one is the first. */
  forget(): void;
}

function countPresses(withinMs: number): Presses {
  let last = Number.NEGATIVE_INFINITY;
  let count = 0;
  return {
    again() {
      const now = performance.now();
      count = now - last <= withinMs ? count + 1 : 1;
      last = now;
      return count;
    },
    forget() {
      last = Number.NEGATIVE_INFINITY;
    },
  };
}

function tell(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
