import type { JsonObject } from '@rondo/protocol';
import type { EventHook, EventHookContext, HookAnswer, HookEvent } from '../hook/event-hook.ts';

export interface RecordedHookRun {
  readonly hook: string;
  readonly input: JsonObject;
  readonly context: EventHookContext;
}

export interface RecordingHookOptions extends Partial<Omit<EventHook, 'event' | 'run'>> {
  /** Every run is added. */
  readonly runs?: RecordedHookRun[];
}

export type GivenAnswer =
  | HookAnswer
  | Error
  | ((input: JsonObject, context: EventHookContext) => HookAnswer | Promise<HookAnswer>);

/** A hook of the second face that gives the same answer every time, throws, or asks a function. */
export function recordingHook(
  event: HookEvent,
  answer: GivenAnswer,
  { runs = [], ...options }: RecordingHookOptions = {},
): EventHook {
  const { name = `${event}/*/0` } = options;
  return {
    timeoutMs: 60_000,
    ...options,
    name,
    event,
    async run(input, context) {
      runs.push({ hook: name, input, context });
      if (answer instanceof Error) throw answer;
      return { answer: typeof answer === 'function' ? await answer(input, context) : answer };
    },
  };
}
