import { randomUUID } from 'node:crypto';
import { type Frame, isFrame } from './read-frames.ts';

/** A question to the client, as it stands on the wire. */
export interface RequestFrame {
  readonly type: 'control_request';
  readonly request_id: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly subtype: string };
}

export interface AskOptions {
  /** Aborting takes the request back: the client is told that no answer is wanted, and the wait rejects. */
  readonly signal?: AbortSignal;
  /** The ID that the request has on the wire; a new one unless given. */
  readonly id?: string;
  /** What becomes of it when the client is gone: it fails, or it stays open for another client. */
  readonly whenGone: 'fails' | 'stays';
}

/** What is asked of the client that started this process. */
export interface ClientRequests {
  /** The client's answer. Rejects with the client's own words when it answers an error. */
  ask(subtype: string, fields: Frame, options: AskOptions): Promise<Frame>;
  /** Takes a `control_response`. An answer that nobody waits for is dropped. */
  answer(frame: Frame): void;
  /** No answer will come any more. */
  end(): void;
  readonly isGone: boolean;
  /** The open requests of a subtype, the first first. */
  open(subtype: string): readonly RequestFrame[];
}

interface OpenRequest {
  readonly answered: Promise<Frame>;
  readonly frame: RequestFrame;
  readonly whenGone: AskOptions['whenGone'];
  readonly resolve: (response: Frame) => void;
  readonly reject: (error: Error) => void;
}

const gone = (subtype: string): Error => new Error(`the client is gone, nobody is there to answer ${subtype}`);

/** @param send writes a frame. A frame that it withholds has to be read from `open`. */
export function createClientRequests(send: (frame: object) => void): ClientRequests {
  const requests = new Map<string, OpenRequest>();
  let isGone = false;

  return {
    async ask(subtype, fields, { signal, id = randomUUID(), whenGone }) {
      signal?.throwIfAborted();
      // Asked again under its ID: it is on the wire already.
      const same = requests.get(id);
      if (same !== undefined) return await same.answered;
      if (isGone && whenGone === 'fails') throw gone(subtype);
      const frame: RequestFrame = { type: 'control_request', request_id: id, request: { subtype, ...fields } };
      const { promise, resolve, reject } = Promise.withResolvers<Frame>();
      const onAbort = (): void => {
        send({ type: 'control_cancel_request', request_id: id });
        reject(new Error(`${subtype} was taken back before the client answered`, { cause: signal?.reason }));
      };
      requests.set(id, { answered: promise, frame, whenGone, resolve, reject });
      signal?.addEventListener('abort', onAbort, { once: true });
      if (!isGone) send(frame);
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
        requests.delete(id);
      }
    },
    answer({ response }) {
      if (!isFrame(response) || typeof response['request_id'] !== 'string') return;
      const request = requests.get(response['request_id']);
      if (request === undefined) return;
      if (response['subtype'] === 'success') {
        const given = response['response'];
        request.resolve(isFrame(given) ? given : {});
      } else {
        const { error } = response;
        request.reject(new Error(typeof error === 'string' && error !== '' ? error : 'the client answered an error'));
      }
    },
    end() {
      isGone = true;
      for (const { frame, whenGone, reject } of requests.values())
        if (whenGone === 'fails') reject(gone(frame.request.subtype));
    },
    get isGone() {
      return isGone;
    },
    open: (subtype) =>
      [...requests.values()].map(({ frame }) => frame).filter(({ request }) => request.subtype === subtype),
  };
}
