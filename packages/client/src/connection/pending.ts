import type { ErrorFrame, MethodName, ResultFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { HostReader } from './host-reader.ts';
import { wireError } from './wire-error.ts';

/** A request with whoever waits for its outcome. */
export interface Question {
  readonly method: MethodName;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Requests that wait for their response. */
export interface Pending {
  /** Gives the request an ID, sends it with `send`, and resolves with its result. */
  ask(method: MethodName, signal: AbortSignal | undefined, send: (id: number) => void): Promise<unknown>;
  /** A response that nobody waits for is nobody's. */
  settle(frame: ResultFrame | ErrorFrame, reader: HostReader): void;
  /** Rejects everything that waits. */
  fail(error: RondoError<string>): void;
}

export function createPending(): Pending {
  const questions = new Map<number, Question>();
  let lastId = 0;

  return {
    ask(method, signal, send) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const plain = { method, resolve, reject };
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
      const question = typeof frame.id === 'number' ? questions.get(frame.id) : undefined;
      if (question === undefined || typeof frame.id !== 'number') return;
      questions.delete(frame.id);
      if ('error' in frame) {
        question.reject(wireError(frame.error.data, frame.error.message));
        return;
      }
      try {
        question.resolve(reader.result(question.method, frame.result));
      } catch (error) {
        question.reject(error);
      }
    },
    fail(error) {
      const open = [...questions.values()];
      questions.clear();
      for (const question of open) question.reject(error);
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
