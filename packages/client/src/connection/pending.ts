import type { ErrorFrame, MethodName, ResultFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { HostReader } from './host-reader.ts';
import { largestRequest } from './largest-request.ts';
import { wireError } from './wire-error.ts';

/** A request with whoever waits for its outcome. */
export interface Question {
  readonly method: MethodName;
  readonly params: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Requests that wait for their response. */
export interface Pending {
  /** Gives the request an ID, sends it with `send`, and resolves with its result. */
  ask(
    method: MethodName,
    params: unknown,
    signal: AbortSignal | undefined,
    send: (id: number) => void,
  ): Promise<unknown>;
  /** A response that nobody waits for is nobody's. */
  settle(frame: ResultFrame | ErrorFrame, reader: HostReader): void;
  /** Rejects everything that waits. Why is asked for where anything does. */
  fail(why: () => RondoError<string>): void;
}

export function createPending(): Pending {
  const questions = new Map<number, Question>();
  let lastId = 0;

  function take(id: number): Question | undefined {
    const question = questions.get(id);
    questions.delete(id);
    return question;
  }

  return {
    ask(method, params, signal, send) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const plain = { method, params, resolve, reject };
        const question = signal === undefined ? plain : leavable(plain, signal, () => questions.delete(id));
        questions.set(id, question);
        try {
          send(id);
        } catch (error) {
          questions.delete(id);
          question.reject(error);
        }
      });
    },
    settle(frame, reader) {
      if ('error' in frame) {
        const error = wireError(frame.error.data, frame.error.message);
        // What is too large is not read, not even for its ID.
        const isUnread = frame.id === null && error.code === 'protocol.frame_too_large';
        const id = isUnread ? largestRequest(questions)?.[0] : frame.id;
        const question = typeof id === 'number' ? take(id) : undefined;
        question?.reject(error);
        return;
      }
      const question = typeof frame.id === 'number' ? take(frame.id) : undefined;
      if (question === undefined) return;
      try {
        question.resolve(reader.result(question.method, frame.result));
      } catch (error) {
        question.reject(error);
      }
    },
    fail(why) {
      const open = [...questions.values()];
      questions.clear();
      for (const question of open) question.reject(why());
    },
  };
}

/** The question with a caller who may stop waiting: an abort rejects it and forgets it. */
export function leavable(question: Question, signal: AbortSignal, forget: () => void): Question {
  const onAbort = (): void => {
    forget();
    question.reject(abortedRequest(question.method, signal));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    method: question.method,
    params: question.params,
    resolve(result) {
      signal.removeEventListener('abort', onAbort);
      question.resolve(result);
    },
    reject(error) {
      signal.removeEventListener('abort', onAbort);
      question.reject(error);
    },
  };
}

/** What a request rejects with when its caller stops waiting. */
export function abortedRequest(method: string, signal: AbortSignal): RondoError {
  return new RondoError(
    'operation.aborted',
    `stopped waiting for ${method}; it may still take effect, nothing was sent to stop it`,
    {
      details: { method },
      cause: signal.reason,
    },
  );
}
