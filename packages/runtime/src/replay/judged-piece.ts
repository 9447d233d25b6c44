import type { AnyEvent, JsonObject, JsonValue } from '@rondo/protocol';
import type { Tool } from '../tool/tool.ts';
import type { Binding } from '../turn/binding.ts';
import { recordedReplies } from './hook-places.ts';
import type { JudgedCall } from './judge-call-today.ts';
import { type RecordedCall, type RecordedCalls, recordedCalls } from './recorded-calls.ts';
import { createRecordedEvents } from './recorded-events.ts';
import { type RecordedRuns, recordedRuns } from './recorded-runs.ts';
import { createRecordedTool } from './recorded-tool.ts';
import { createReplayGates } from './replay-gates.ts';

/** A piece of a session's log, mostly a turn, as whoever judges it anew reads it. */
export interface JudgedPiece {
  readonly events: readonly AnyEvent[];
  readonly calls: RecordedCalls;
  readonly runs: RecordedRuns;
  readonly replies: ReturnType<typeof recordedReplies>;
  /** The call with such arguments and today's tool of its name; undefined where they do not fit that. */
  fitting(call: RecordedCall, written: JsonValue, bound: Binding): JudgedCall | undefined;
}

export function judgedPiece(events: readonly AnyEvent[]): JudgedPiece {
  const calls = recordedCalls(events);

  /** Of a name that today's agent does not have. */
  function recordedTool({ name, requested }: RecordedCall): Tool {
    const recorded = createRecordedEvents(events);
    const gates = createReplayGates(() => {});
    return createRecordedTool(name, requested?.toolKind ?? 'local', { recorded, calls, gates, questionsOf: () => [] });
  }

  return {
    events,
    calls,
    runs: recordedRuns(events, calls),
    replies: recordedReplies(events),
    fitting(call, written, { tools }) {
      const tool = tools.find(({ name }) => name === call.name) ?? recordedTool(call);
      const validated = tool.validate(written);
      return validated.ok ? { call, tool, input: validated.input satisfies JsonObject } : undefined;
    },
  };
}
