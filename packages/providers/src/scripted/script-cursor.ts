export interface CursorStep {
  readonly conversation?: string | undefined;
  readonly answers: boolean;
  /** How many answers of the model its conversation held before its first step; 0 unless it was recorded later. */
  readonly repliesBefore?: number;
}

export interface CursorRequest {
  /** Which conversation it is, where the caller knows; steps are then taken one after another. */
  readonly session?: string | undefined;
  /** How many answers of the model the request's conversation holds. */
  readonly replies: number;
  /** Whether a conversation of the script may be this one, by its first step. */
  readonly fits: (index: number) => boolean;
}

export interface ScriptCursor {
  /** The step for a request. */
  next(request: CursorRequest): number | undefined;
  /** Steps that no request took, and that no conversation had behind it when it came. */
  unused(): readonly number[];
}

interface Place {
  readonly steps: readonly number[];
  at: number;
}

/**
 * Which step is next. In the order `conversation` a session that comes for the first time is answered from where its
 * conversation stands, so that it may have begun in another process; then it goes on step by step. Callers that do not
 * know their sessions are answered by the state of the conversation alone.
 */
export function createScriptCursor(
  steps: readonly CursorStep[],
  order: 'conversation' | 'once' | 'cycle',
): ScriptCursor {
  const used = new Set<number>();
  const conversations = [...Map.groupBy(steps.keys(), (index) => steps[index]?.conversation).values()];
  const places = new Map<string, Place>();
  const taken = new Set<readonly number[]>();
  const attempts = new Map<string, number>();
  let count = 0;

  const take = (index: number | undefined): number | undefined => {
    if (index !== undefined) used.add(index);
    return index;
  };

  /** One that nobody has yet, before one that somebody has. */
  const conversationOf = ({ fits }: CursorRequest): readonly number[] | undefined => {
    if (conversations.length === 1) return conversations[0];
    const fitting = conversations.filter(([first]) => first !== undefined && fits(first));
    return fitting.find((conversation) => !taken.has(conversation)) ?? fitting.at(-1);
  };

  /** The place behind that many answers. */
  const behind = (conversation: readonly number[], replies: number): number | undefined => {
    let left = replies - (steps[conversation[0] ?? -1]?.repliesBefore ?? 0);
    if (left < 0) return undefined;
    let at = 0;
    for (; left > 0; at += 1) {
      const index = conversation[at];
      if (index === undefined) return undefined;
      used.add(index);
      if (steps[index]?.answers === true) left -= 1;
    }
    return at;
  };

  const nextOfSession = (session: string, request: CursorRequest): number | undefined => {
    let place = places.get(session);
    if (place === undefined) {
      const conversation = conversationOf(request);
      const at = conversation === undefined ? undefined : behind(conversation, request.replies);
      if (conversation === undefined || at === undefined) return undefined;
      taken.add(conversation);
      place = { steps: conversation, at };
      places.set(session, place);
    }
    const index = place.steps[place.at];
    place.at += 1;
    return take(index);
  };

  const nextByState = (request: CursorRequest): number | undefined => {
    const conversation = conversationOf(request);
    const at = conversation === undefined ? undefined : behind(conversation, request.replies);
    if (conversation === undefined || at === undefined) return undefined;
    // Failures before the next answer come one after another; the answer itself as often as it is asked for.
    const key = `${conversation[0]}:${at}`;
    let place = at + (attempts.get(key) ?? 0);
    const answer = conversation.findIndex((index, position) => position >= at && steps[index]?.answers === true);
    if (answer !== -1) place = Math.min(place, answer);
    attempts.set(key, place - at + 1);
    return take(conversation[place]);
  };

  return {
    next(request) {
      if (order === 'conversation')
        return request.session === undefined ? nextByState(request) : nextOfSession(request.session, request);
      const index = order === 'cycle' && steps.length > 0 ? count % steps.length : count;
      count += 1;
      return take(steps[index] === undefined ? undefined : index);
    },
    unused: () => [...steps.keys()].filter((index) => !used.has(index)),
  };
}
