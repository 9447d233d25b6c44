import type { CompletedRecord, StandardSchema, StreamEvent, TurnRecord } from '@rondo/protocol';
import { describeIssues } from '@rondo/protocol/values';
import { freezeRecord } from './freeze-record.ts';

/** The turn's text is not what the output type asks for. A value, never an error that is thrown. */
export interface InvalidOutput {
  readonly type: 'invalidOutput';
  /** What is wrong with it. */
  readonly error: string;
  readonly text: string;
}

/** A completed turn with its output: its text, or what an output type makes of it; null where it ended without a text. */
export type CompletedTurn<T = string> = CompletedRecord & { readonly output: T | InvalidOutput | null };

/** Where a turn is as of its cursor. */
export type TurnState<T = string> = Exclude<TurnRecord, CompletedRecord> | CompletedTurn<T>;

/** What a turn's text is to be, as JSON: any Standard Schema that answers at once. */
export type OutputType<T> = StandardSchema<T>;

/** What was made of a record, by the output type that made it; the record's own text has none. */
const made = new WeakMap<CompletedRecord, { readonly outputType: OutputType<unknown> | undefined; state: object }>();

/** The record with the output of a turn that completed; the same state for the same record and type. */
export function turnState<T>(record: TurnRecord, outputType: OutputType<T> | undefined): TurnState<T> {
  if (record.type !== 'completed') return record;
  const before = made.get(record);
  if (before !== undefined && before.outputType === outputType) return before.state as CompletedTurn<T>;
  const output = outputType === undefined ? record.text : parsedOutput(record.text, outputType);
  const state = Object.freeze({ ...freezeRecord(record), output });
  made.set(record, { outputType, state });
  return state as CompletedTurn<T>;
}

/** The event as a handle gives it: the record of a turn's end with its output. */
export function withOutput<Event extends StreamEvent>(
  event: Event,
  outputType: OutputType<unknown> | undefined,
): Event {
  if (event.type !== 'turn.ended' || !('record' in event)) return event;
  return { ...event, record: turnState(event.record as TurnRecord, outputType) };
}

function parsedOutput<T>(text: string, outputType: OutputType<T>): T | InvalidOutput | null {
  if (text.trim() === '') return null;
  const invalid = (error: string): InvalidOutput => Object.freeze({ type: 'invalidOutput', error, text });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(`the text is no JSON: ${messageOf(error)}`);
  }
  try {
    const result = outputType['~standard'].validate(value);
    if (result instanceof Promise) {
      result.catch(() => {});
      return invalid('the output type checks asynchronously; use one that answers at once');
    }
    return result.issues === undefined ? result.value : invalid(describeIssues(result.issues));
  } catch (error) {
    return invalid(`the output type threw: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
