import type { JsonObject, JsonValue } from '@rondo/protocol';
import { cutText } from '../event/cut-text.ts';
import { kindOf } from '../tool/checked-content.ts';
import type { HookAnswer, HookOutput, HookRun } from './event-hook.ts';

/** What a run of a hook came to. */
export type EventOutcome =
  | { readonly type: 'answer'; readonly answer: HookAnswer }
  | {
      readonly type: 'failed';
      readonly failure: 'threw' | 'timeout' | 'foreign';
      readonly message: string;
      /** Its author has chosen that it then counts as a hook without an opinion. */
      readonly failOpen: boolean;
    };

const decisions: ReadonlySet<unknown> = new Set(['allow', 'deny', 'ask', 'defer', 'block']);
const texts = ['reason', 'stopReason', 'additionalContext', 'systemMessage'] as const;
const flags = ['continue', 'interrupt', 'suppressOutput'] as const;
const lists = ['updatedPermissions'] as const;
const objects = ['updatedInput'] as const;

/** Of each field that a hook may give, what it has to be. Whatever else an answer brings counts for nothing. */
const shapes: Readonly<Record<Exclude<keyof HookAnswer, 'updatedToolOutput'>, (value: unknown) => boolean>> = {
  decision: (value) => decisions.has(value),
  ...shape(texts, (value) => typeof value === 'string'),
  ...shape(flags, (value) => typeof value === 'boolean'),
  ...shape(lists, (value) => Array.isArray(value)),
  ...shape(objects, isObject),
};

function shape<Name extends string>(names: readonly Name[], fits: (value: unknown) => boolean) {
  return Object.fromEntries(names.map((name) => [name, fits])) as Record<Name, typeof fits>;
}

/** The answer as JSON alone can carry it: what the hook does with its own afterwards changes nothing. */
export function answerOf(run: HookRun): EventOutcome {
  const given: unknown = run;
  const answer: unknown = typeof given === 'object' && given !== null && 'answer' in given ? given.answer : undefined;
  if (!isObject(answer)) return foreign(`returned ${kindOf(given)} without an answer`);
  let copy: JsonObject;
  try {
    copy = JSON.parse(JSON.stringify(answer)) as JsonObject;
  } catch (error) {
    return foreign(`returned what JSON cannot carry: ${error instanceof Error ? error.message : String(error)}`);
  }
  return readAnswer(copy);
}

function readAnswer(copy: JsonObject): EventOutcome {
  const read: Record<string, JsonValue> = {};
  for (const [name, fits] of Object.entries(shapes)) {
    const value = copy[name];
    if (value === undefined) continue;
    if (!fits(value)) return foreign(`returned ${kindOf(value)} as ${name}`);
    read[name] = value;
  }
  const { updatedToolOutput } = copy;
  if (updatedToolOutput !== undefined) read['updatedToolOutput'] = updatedToolOutput;
  return { type: 'answer', answer: read as HookAnswer };
}

const foreign = (message: string): EventOutcome => ({ type: 'failed', failure: 'foreign', message, failOpen: false });

/** The outcome as the log has it. What a hook put in place of a result is told by the result. */
export function eventRecord(outcome: EventOutcome): JsonObject {
  if (outcome.type === 'failed') {
    const { type, failure, message, failOpen } = outcome;
    return { type, failure, message, ...(failOpen ? { failOpen } : {}) };
  }
  const { updatedToolOutput, ...answer } = outcome.answer;
  const replaced = updatedToolOutput === undefined ? {} : { replaced: true };
  return { type: 'answer', ...(answer as JsonObject), ...replaced };
}

/** What the log says of a hook that ran before. What this version cannot read counts as a failure, never as a leave. */
export function recordedEventOutcome(record: Readonly<JsonObject>): EventOutcome {
  const { type, failure, message, failOpen } = record;
  if (type === 'answer') return readAnswer(record);
  if (type !== 'failed')
    return foreign(`has decided ${JSON.stringify(type ?? null)} in a version that is not this one`);
  return {
    type,
    failure: failure === 'timeout' || failure === 'foreign' ? failure : 'threw',
    message: typeof message === 'string' ? message : '',
    failOpen: failOpen === true,
  };
}

const SHOWN_CHARACTERS = 4000;

/** What of a hook's output is kept: its first characters. */
export function boundedOutput({ stdout, stderr, exitCode }: HookOutput): HookOutput {
  return {
    stdout: shown(stdout),
    stderr: shown(stderr),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

/** What was cut before stays as it is. */
function shown(text: string): string {
  if (text.length <= SHOWN_CHARACTERS + 64) return text;
  return `${cutText(text, SHOWN_CHARACTERS)}\n[${text.length - SHOWN_CHARACTERS} more characters]`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
