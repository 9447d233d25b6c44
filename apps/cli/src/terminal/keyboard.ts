import { createInterface, emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';

/** What came of asking for a line: its text, Ctrl-C on an empty line, or the end of the input (Ctrl-D). */
export type LineAnswer =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'end' };

export interface ReadLineOptions {
  readonly prompt: string;
  /** A prompt goes into the history and takes what was typed while nothing was asked; an answer must do neither. */
  readonly purpose: 'prompt' | 'answer';
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}

/** A terminal's keys: lines when one is asked for, Ctrl-C at any other time. */
export interface Keyboard {
  readLine(options: ReadLineOptions): Promise<LineAnswer>;
  /** Called on Ctrl-C while no line is being read. */
  onInterrupt: (() => void) | undefined;
  /** Called on Ctrl-D while no line is being read. */
  onEnd?: (() => void) | undefined;
  /** Called when something is typed while no line is being read; the next prompt takes it. */
  onTyping?: (() => void) | undefined;
  /** Gives the terminal back as it was. */
  close(): void;
}

const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';

/**
 * Keys are read unbuffered all the time, so that what was typed before a question was on the screen cannot answer it.
 */
export function openKeyboard(input: ReadStream, output: WriteStream): Keyboard {
  let typedAhead = '';
  let reading = false;
  // One line at a time: a question may come while the prompt is being withdrawn.
  let earlier: Promise<unknown> = Promise.resolve();
  let history: string[] = [];
  const keyboard: Keyboard = {
    readLine(options) {
      const answer = earlier.then(() => readOne(options));
      earlier = answer.catch(() => undefined);
      return answer;
    },
    onInterrupt: undefined,
    close,
  };

  const onIdleKey = (text: string | undefined, key: Key): void => {
    if (reading) return;
    if (key.ctrl && key.name === 'c') keyboard.onInterrupt?.();
    else if (key.ctrl && key.name === 'd') keyboard.onEnd?.();
    else if (key.name === 'backspace') typedAhead = typedAhead.slice(0, -1);
    else if (text !== undefined && !key.ctrl && !key.meta) {
      // Where a prompt opens for what is typed, Enter sends it; else it waits with the rest for the next one.
      typedAhead += text.replace(/[\r\n]/g, keyboard.onTyping === undefined ? ' ' : '\n');
      keyboard.onTyping?.();
    }
  };
  const listen = (): void => {
    input.setRawMode(true);
    input.resume();
  };
  emitKeypressEvents(input);
  input.on('keypress', onIdleKey);
  listen();

  async function readOne({ prompt, purpose, signal }: ReadLineOptions): Promise<LineAnswer> {
    reading = true;
    const lines = createInterface({ input, output, terminal: true, prompt, history, historySize: 200 });
    if (purpose === 'prompt') lines.on('history', (entries) => (history = entries));
    output.write(pasteOn);
    lines.prompt();
    const ahead = purpose === 'prompt' ? typedAhead : '';
    if (purpose === 'prompt') typedAhead = '';
    try {
      return await new Promise((resolve) => {
        const parts: string[] = [];
        let pasting = false;
        let settling = false;
        const onKey = (_: string | undefined, key: Key): void => {
          if (key.name === 'paste-start') pasting = true;
          if (key.name === 'paste-end') pasting = false;
        };
        // A terminal that does not mark a paste sends it in one piece: its lines arrive before anything else can happen.
        const settle = (): void => {
          settling = false;
          if (parts.length > 1 && lines.line !== '') return continueLine();
          resolve({ type: 'line', text: parts.join('\n') });
        };
        const continueLine = (): void => {
          lines.setPrompt('… ');
          lines.prompt(true);
        };
        input.prependListener('keypress', onKey);
        lines.on('line', (line) => {
          parts.push(line);
          if (pasting) return continueLine();
          if (!settling) setImmediate(settle);
          settling = true;
        });
        let interrupted = false;
        lines.on('SIGINT', () => {
          // A second press may come before anybody has heard of the first.
          if (interrupted) return keyboard.onInterrupt?.();
          if (lines.line === '' && parts.length === 0) {
            interrupted = true;
            return resolve({ type: 'interrupt' });
          }
          parts.length = 0;
          lines.write(null, { ctrl: true, name: 'e' });
          lines.write(null, { ctrl: true, name: 'u' });
          lines.setPrompt(prompt);
          lines.prompt();
        });
        lines.on('close', () => {
          input.off('keypress', onKey);
          if (!settling) resolve({ type: 'end' });
        });
        if (ahead !== '') lines.write(ahead);
        signal?.addEventListener('abort', () => resolve({ type: 'interrupt' }), { once: true });
        if (signal?.aborted) resolve({ type: 'interrupt' });
      });
    } finally {
      lines.close();
      output.write(pasteOff);
      reading = false;
      listen();
    }
  }

  function close(): void {
    input.off('keypress', onIdleKey);
    input.setRawMode(false);
    input.pause();
    // A paused terminal still counts as a reader of the process.
    input.unref();
  }
  return keyboard;
}
