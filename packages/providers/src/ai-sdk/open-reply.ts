import type { ReadableStreamReadResult } from 'node:stream/web';
import { RondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import { aborted } from '../dialect/stream-reply.ts';
import type { PostTimeouts } from '../http/post.ts';
import type { AiSdkPart } from './language-model.ts';
import type { PartReader } from './part-reader.ts';

export interface OpenReplyOptions {
  /** Sends the request. The signal aborts when nobody waits for its reply any more. */
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<AiSdkPart>>;
  readonly createReader: (emit: (part: ModelPart) => void) => PartReader;
  readonly signal: AbortSignal;
  readonly timeouts: PostTimeouts;
  /** Who is asked, for messages. */
  readonly vendor: string;
  /** Our error for whatever the model threw. */
  readonly asError: (thrown: unknown, phase: 'request' | 'stream') => RondoError;
  readonly broken: (reason: string) => RondoError;
}

const silences = {
  headers: 'did not begin to answer',
  'first-byte': 'began to answer and then sent nothing',
  idle: 'went silent in the middle of its reply',
} as const;

type Phase = keyof typeof silences;

/** Why the reading was given up from outside; the stream was then left. */
interface Leaving {
  error?: RondoError;
}

/**
 * Reads one reply part by part. Leaving early, the signal and silence all end the request: the model's own signal
 * aborts and its stream is cancelled, and neither is waited for, since a model may hear neither.
 */
export async function* openReply(options: OpenReplyOptions): AsyncGenerator<ModelPart, void, undefined> {
  const { signal, asError } = options;
  if (signal.aborted) throw aborted(signal);
  const request = new AbortController();
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => undefined);
  const leaving: Leaving = {};
  let parts: ReadableStreamDefaultReader<AiSdkPart> | undefined;

  function leave(error: RondoError): void {
    leaving.error ??= error;
    left.reject(leaving.error);
    request.abort(leaving.error);
    parts?.cancel(leaving.error).catch(() => undefined);
  }

  const onAbort = (): void => leave(aborted(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  const watch = createWatch(options, leave);
  const ready: ModelPart[] = [];
  const reader = options.createReader((part) => ready.push(part));
  try {
    watch.wait('headers');
    const opening = options.open(request.signal);
    // One that comes after all is cancelled: nobody reads it.
    opening
      .then(
        (late) => leaving.error && late.cancel(leaving.error),
        () => undefined,
      )
      .catch(() => undefined);
    const stream = await Promise.race([opening, left.promise]).catch((thrown: unknown) => {
      throw leaving.error ?? asError(thrown, 'request');
    });
    parts = stream.getReader();
    if (leaving.error !== undefined) throw leaving.error;
    watch.wait('first-byte');
    while (!reader.ended()) {
      let next: ReadableStreamReadResult<AiSdkPart>;
      try {
        next = await parts.read();
      } catch (thrown) {
        throw leaving.error ?? asError(thrown, 'stream');
      }
      watch.rest();
      if (leaving.error !== undefined) throw leaving.error;
      if (next.done) throw options.broken(`it ends too early, ${reader.position()}`);
      reader.read(next.value);
      for (const part of ready.splice(0)) yield part;
      watch.wait('idle');
    }
  } finally {
    watch.stop();
    signal.removeEventListener('abort', onAbort);
    if (!reader.ended()) leave(new RondoError('operation.aborted', 'the reply was left'));
    else parts?.cancel().catch(() => undefined);
  }
}

interface Watch {
  wait(phase: Phase): void;
  /** Whoever reads is slow now, not the model. */
  rest(): void;
  stop(): void;
}

/** One timer for a whole reply: what it costs for a part is a refresh. */
function createWatch({ timeouts, vendor }: OpenReplyOptions, leave: (error: RondoError) => void): Watch {
  const limits = { headers: timeouts.headersMs, 'first-byte': timeouts.firstByteMs, idle: timeouts.idleMs };
  let timer: NodeJS.Timeout | undefined;
  let current: Phase | undefined;
  let waiting = false;

  function expire(phase: Phase, afterMs: number): void {
    if (!waiting) return;
    leave(
      new RondoError('model.timeout', `${vendor} ${silences[phase]} for ${afterMs} ms.`, {
        details: { phase, afterMs },
      }),
    );
  }

  return {
    wait(phase) {
      waiting = true;
      if (phase === current) {
        timer?.refresh();
        return;
      }
      clearTimeout(timer);
      current = phase;
      const afterMs = limits[phase];
      timer = afterMs === undefined ? undefined : setTimeout(() => expire(phase, afterMs), afterMs);
    },
    rest() {
      waiting = false;
    },
    stop() {
      waiting = false;
      clearTimeout(timer);
    },
  };
}
