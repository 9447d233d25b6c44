import type { MethodName } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { largestRequest } from './largest-request.ts';
import type { Link } from './link.ts';
import { abortedRequest, leavable, type Question } from './pending.ts';
import { repeatable } from './repeatable.ts';
import { type Outcome, outcomeOfResent } from './resent-outcome.ts';
import { whenLost } from './when-lost.ts';

/** Requests that outlive the link they were sent on. Each is answered once. */
export interface HeldRequests {
  readonly size: number;
  /** Sends a request over the link, or keeps it for the next one. */
  hold(method: MethodName, params: object, signal?: AbortSignal): Promise<unknown>;
  /** Takes a link into use: sends what is kept, in the order it came. */
  send(link: Link): void;
  /** Sorts what was on its way over that link: some is kept to be sent again, the rest rejects. */
  lost(link: Link, error: RondoError<string>): void;
  /** Rejects everything. */
  fail(error: RondoError<string>): void;
}

export interface HeldRequestsOptions {
  readonly newId: () => string;
  /** A request is kept that no link takes. */
  readonly onNeed: () => void;
  /** The host has answered something. */
  readonly onProgress: () => void;
}

interface HeldRequest {
  readonly question: Question;
  readonly ownSessionId: string | undefined;
  /** Its caller has stopped waiting. */
  isLeft: boolean;
  /** How often a host may have seen it. */
  sends: number;
  /** The link it is on its way over. */
  on: Link | undefined;
}

export function createHeldRequests({ newId, onNeed, onProgress }: HeldRequestsOptions): HeldRequests {
  const held = new Set<HeldRequest>();
  let current: Link | undefined;

  function hold(method: MethodName, params: object, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(abortedRequest(method, signal));
    return new Promise((resolve, reject) => {
      const { params: sent, ownSessionId } = repeatable(method, params, newId);
      const plain = { method, params: sent, resolve, reject };
      const forget = (): void => {
        request.isLeft = true;
        held.delete(request);
      };
      const request: HeldRequest = {
        ownSessionId,
        question: signal === undefined ? plain : leavable(plain, signal, forget),
        isLeft: false,
        sends: 0,
        on: undefined,
      };
      keep(request);
    });
  }

  function keep(request: HeldRequest): void {
    held.add(request);
    if (current?.takesRequests() === true) dispatch(request, current);
    else onNeed();
  }

  function dispatch(request: HeldRequest, link: Link): void {
    request.sends += 1;
    request.on = link;
    link.ask(request.question.method, request.question.params).then(
      (result) => {
        onProgress();
        take(request, link, { result });
      },
      (error: unknown) => {
        // With the link over, `lost` has decided.
        if (error !== link.ended()) take(request, link, { error });
      },
    );
  }

  function take(request: HeldRequest, link: Link, outcome: Outcome): void {
    if (request.on !== link || !held.has(request)) return;
    if ('error' in outcome && wasNotTaken(outcome.error)) {
      request.sends -= 1;
      request.on = undefined;
      return;
    }
    if (request.sends === 1) settle(request, outcome);
    else void judge(request, outcome);
  }

  /** The answer to what was sent before, which may have been done the first time. */
  async function judge(request: HeldRequest, outcome: Outcome): Promise<void> {
    request.on = undefined;
    held.delete(request);
    const { method, params } = request.question;
    const { ownSessionId } = request;
    const judged = await outcomeOfResent({ method, params, ownSessionId }, outcome, (other, asked) =>
      hold(other, asked),
    );
    if (request.isLeft) return;
    if (judged === 'again') keep(request);
    else settle(request, judged);
  }

  function settle(request: HeldRequest, outcome: Outcome): void {
    held.delete(request);
    if ('error' in outcome) request.question.reject(outcome.error);
    else request.question.resolve(outcome.result);
  }

  return {
    get size() {
      return held.size;
    },
    hold,
    send(link) {
      current = link;
      for (const request of held) dispatch(request, link);
    },
    lost(link, error) {
      current = undefined;
      const underway = [...held].filter(({ on }) => on === link);
      const refused =
        error.code === 'protocol.frame_too_large'
          ? largestRequest(underway.map((request) => [request, request.question]))?.[0]
          : undefined;
      for (const request of underway) {
        request.on = undefined;
        const { method } = request.question;
        if (request === refused) settle(request, { error });
        else if (whenLost[method] === 'unknown') settle(request, { error: outcomeUnknown(method, error) });
      }
    },
    fail(error) {
      for (const request of held) settle(request, { error });
    },
  };
}

/** The channel or the host refused the request as a whole, since it closes. */
function wasNotTaken(error: unknown): boolean {
  return isRondoError(error, 'channel.closed') || isRondoError(error, 'host.closing');
}

function outcomeUnknown(method: MethodName, cause: unknown): RondoError {
  return new RondoError(
    'operation.outcome_unknown',
    `the connection was lost before ${method} was answered: it may have been done or not. Look before you ask again`,
    { details: { method }, cause },
  );
}
