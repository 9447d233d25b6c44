import { isRecord } from '../is-record.ts';
import type { Frame } from './json-line.ts';

export interface InputEndOptions {
  /** Something of this program may be asked for as long as work goes on. */
  readonly hasCallbacks: boolean;
  /** Closes the peer's input. May be called more than once. */
  readonly close: () => void;
}

/**
 * Says when a peer's input may be closed: all has been said, and nobody is left who could still ask. Without callbacks
 * that is as soon as a stream of messages has ended, or one text has its result. With callbacks a peer that tells its
 * state is waited for until it is idle, without limit; one that tells none, until a result has followed the last message.
 */
export interface InputEnd {
  /** The prompt is one text, so that its input ends with the first result. */
  isText(): void;
  /** Another stream of messages has begun, besides the prompt. */
  streamBegan(): void;
  streamEnded(): void;
  /** A message was sent that asks for an answer. */
  sent(): void;
  /** The peer answered `initialize`, with these fields or with an error. */
  initialized(fields: Frame | undefined): void;
  saw(line: Frame): void;
}

export function createInputEnd({ hasCallbacks, close }: InputEndOptions): InputEnd {
  let isText = false;
  /** The prompt counts from the beginning on. */
  let streams = 1;
  let isInitialized = false;
  let hasSent = false;
  let awaitsResult = false;
  let state: unknown;
  /** Messages that the peer has said to be queued or at work. */
  const openMessages = new Set<unknown>();

  function look(): void {
    if (streams === 0 && !mayBeNeeded()) close();
  }

  function mayBeNeeded(): boolean {
    if (awaitsResult) return isText || hasCallbacks;
    if (!hasCallbacks) return false;
    if (!hasSent && !isInitialized) return true;
    return (state !== undefined && state !== 'idle') || openMessages.size > 0;
  }

  return {
    isText() {
      isText = true;
    },
    streamBegan() {
      streams += 1;
    },
    streamEnded() {
      streams -= 1;
      look();
    },
    sent() {
      hasSent = true;
      awaitsResult = true;
    },
    initialized(fields) {
      isInitialized = true;
      state ??= fields?.['session_state'];
      look();
    },
    saw(line) {
      if (line['type'] === 'result') awaitsResult = false;
      else if (line['subtype'] === 'session_state_changed') state = line['state'];
      else if (line['type'] === 'command_lifecycle' || line['subtype'] === 'command_lifecycle') {
        const isOver = line['state'] === 'completed' || line['state'] === 'cancelled';
        if (isOver) openMessages.delete(line['command_uuid']);
        else openMessages.add(line['command_uuid']);
      } else return;
      look();
    },
  };
}

/** Whether a message asks for a turn, and not only to be kept. */
export function asksForTurn(message: unknown): boolean {
  return !isRecord(message) || message['shouldQuery'] !== false;
}
