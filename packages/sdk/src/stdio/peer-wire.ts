import { randomUUID } from 'node:crypto';
import { createLineReader, RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import type { AnswerPeer } from './answer-peer.ts';
import { decodeLine, encodeLine, type Frame } from './json-line.ts';
import type { SpawnedProcess } from './spawned-process.ts';

/** Above this a line is no message any more. */
const mostBytes = 64 * 1024 * 1024;

export interface PeerWireOptions {
  readonly process: SpawnedProcess;
  readonly answers: Readonly<Record<string, AnswerPeer>>;
  /** A line that is neither request nor answer. */
  readonly onMessage: (line: Frame) => void;
  /** Hears of what is no line of this wire. */
  readonly note: (text: string) => void;
  /** A fault behind which lines would be missing. */
  readonly onFault: (error: RondoError) => void;
}

/** Requests, answers and messages over a process's standard streams, a line of JSON each. */
export interface PeerWire {
  /** Resolves once the line is on its way, or nobody reads it any more. */
  send(frame: object): Promise<void>;
  /**
   * Resolves with the whole answer.
   * @throws RondoError what the peer answered in its place, or that the query closed before it did.
   */
  request(subtype: string, fields?: object): Promise<Frame>;
  /** Puts a request of the peer to the program, also one that came by another way than as a line. */
  ask(frame: Frame): void;
  closeInput(): void;
  /** Tells a peer that knows the word that no more messages come, and goes on answering it. */
  endMessages(): void;
  /** No more messages can be sent. */
  readonly isInputClosed: boolean;
  /** Resolves when there are no more lines. */
  readonly outputEnded: Promise<void>;
  /** Nothing is answered or awaited any more, but for requests of the peer of these subtypes. */
  close(answered?: Iterable<string>): void;
}

export function createPeerWire({ process, answers, onMessage, note, onFault }: PeerWireOptions): PeerWire {
  const { stdin, stdout } = process;
  const waiting = new Map<string, PromiseWithResolvers<Frame>>();
  /** Questions that the program has and has not answered, by ID; one that is asked again is answered once. */
  const questions = new Map<string, { readonly subtype: string; readonly open: Set<AbortController> }>();
  const outputEnded = Promise.withResolvers<void>();
  let isInputClosed = false;
  let hasEndedMessages = false;
  let isClosed = false;
  /** What is answered all the same once it is closed. */
  let stillAnswered: ReadonlySet<string> = new Set();

  // A peer that went away is seen by its exit; to write to it is no error of its own.
  stdin.on('error', () => {});
  stdout.on('error', () => outputEnded.resolve());

  const read = createLineReader(mostBytes);
  stdout.on('data', (chunk: Uint8Array | string) => take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  const atEnd = (): void => {
    // What stands behind the last line's end may be a whole line.
    take(Uint8Array.of(0x0a));
    outputEnded.resolve();
  };
  stdout.once('end', atEnd);
  stdout.once('close', () => outputEnded.resolve());

  function take(chunk: Uint8Array): void {
    for (const line of read(chunk)) {
      if (line === 'too-long') {
        onFault(new RondoError('protocol.frame_too_large', `the peer wrote a line of more than ${mostBytes} bytes`));
      } else if (line.length > 0) see(decodeLine(line));
    }
  }

  function see(frame: Frame | string): void {
    if (typeof frame === 'string' || typeof frame['type'] !== 'string') {
      if (typeof frame !== 'string' || frame.trim() !== '')
        note(`The peer wrote a line that is no message: ${shown(frame)}`);
      return;
    }
    switch (frame['type']) {
      case 'control_response':
        return settle(frame['response']);
      case 'control_request':
        return ask(frame);
      case 'control_cancel_request':
        return cancel(frame['request_id']);
      case 'keep_alive':
        return;
      default:
        onMessage(frame);
    }
  }

  function settle(response: unknown): void {
    if (!isRecord(response)) return note('The peer wrote an answer without a response.');
    const id = String(response['request_id']);
    const request = waiting.get(id);
    if (request === undefined) return;
    waiting.delete(id);
    if (response['subtype'] === 'success') request.resolve(response);
    else request.reject(refusal(response));
  }

  function cancel(id: unknown): void {
    const question = questions.get(String(id));
    questions.delete(String(id));
    for (const each of question?.open ?? []) each.abort();
  }

  function ask(frame: Frame): void {
    const id = String(frame['request_id']);
    const request = isRecord(frame['request']) ? frame['request'] : {};
    const subtype = String(request['subtype']);
    const answer = Object.hasOwn(answers, subtype) ? answers[subtype] : undefined;
    const isAnswered = (): boolean => !isClosed || stillAnswered.has(subtype);
    const reply = (response: object): void => {
      if (isAnswered()) void send({ type: 'control_response', response: { ...response, request_id: id } });
    };
    if (answer === undefined) {
      const error = `Unsupported control request subtype: ${subtype}`;
      return reply({ subtype: 'error', error, error_code: 'unsupported_request' });
    }
    const aborting = new AbortController();
    const asked = questions.get(id) ?? { subtype, open: new Set() };
    asked.open.add(aborting);
    questions.set(id, asked);
    const settleQuestion = (response: object | undefined): void => {
      // Cancelled, or answered by the same question asked again.
      if (questions.get(id) !== asked) return;
      asked.open.delete(aborting);
      if (response === undefined) return;
      questions.delete(id);
      reply(response);
    };
    answer({ id, request, signal: aborting.signal }).then(
      (response) => settleQuestion(response === undefined ? undefined : { subtype: 'success', response }),
      (error: unknown) => settleQuestion({ subtype: 'error', error: messageOf(error) }),
    );
  }

  function send(frame: object): Promise<void> {
    const line = encodeLine(frame);
    if (isInputClosed || !stdin.writable) return Promise.resolve();
    return new Promise((resolve) => {
      stdin.write(line, () => resolve());
    });
  }

  async function request(subtype: string, fields: object = {}): Promise<Frame> {
    if (isClosed || isInputClosed || !stdin.writable) throw closedError(subtype);
    const id = randomUUID();
    const answer = Promise.withResolvers<Frame>();
    waiting.set(id, answer);
    void send({ type: 'control_request', request_id: id, request: { subtype, ...fields } });
    return await answer.promise;
  }

  function closeInput(): void {
    if (isInputClosed) return;
    isInputClosed = true;
    stdin.end();
  }

  return {
    send,
    ask,
    request,
    closeInput,
    endMessages() {
      if (hasEndedMessages || isInputClosed) return;
      hasEndedMessages = true;
      void send({ type: 'control_request', request_id: randomUUID(), request: { subtype: 'end_input' } });
    },
    get isInputClosed() {
      return isInputClosed || hasEndedMessages;
    },
    outputEnded: outputEnded.promise,
    close(answered = []) {
      isClosed = true;
      stillAnswered = new Set(answered);
      for (const each of waiting.values()) each.reject(closedError());
      waiting.clear();
      for (const [id, { subtype, open }] of questions) {
        if (stillAnswered.has(subtype)) continue;
        for (const each of open) each.abort();
        questions.delete(id);
      }
    },
  };
}

function refusal(response: Frame): RondoError {
  const { error, error_code: code } = response;
  return new RondoError('input.invalid', typeof error === 'string' ? error : 'the peer refused the request', {
    details: typeof code === 'string' ? { errorCode: code } : {},
  });
}

function closedError(subtype?: string): RondoError {
  const what = subtype === undefined ? '' : `: ${subtype} needs a peer that still reads`;
  return new RondoError('channel.closed', `Query closed before response received${what}`, { retryable: false });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shown(frame: Frame | string): string {
  const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
