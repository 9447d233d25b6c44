import type { HookCompleted, JsonValue } from '@rondo/protocol';
import { type EventHook, type EventHookContext, type HookEvent, hookEvents, type HookRun } from '../hook/event-hook.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import type { RecordedEvents } from './recorded-events.ts';
import type { ReplayGates } from './replay-gates.ts';

export interface RecordedEventHooksOptions {
  readonly recorded: RecordedEvents;
  readonly calls: RecordedCalls;
  readonly gates: ReplayGates;
  /** The names of the binding's hooks, in their order. */
  readonly names: readonly string[];
  readonly isStopped: () => boolean;
}

/** The event of a hook of the second face, by the name under which the log knows it; undefined for other hooks. */
export function eventOfHook(name: string): HookEvent | undefined {
  return hookEvents.find((event) => name === event || name.startsWith(`${event}/`));
}

/**
 * Hooks of the second face that answer as they answered, where the log says that they ran. What hooks in the background
 * did came from outside, and is taken from it.
 */
export function recordedEventHooks(options: RecordedEventHooksOptions): EventHook[] {
  const names = new Set(options.names.filter((name) => eventOfHook(name) !== undefined));
  const facts = new Map<string, { once?: boolean; failOpen?: boolean; timeoutMs?: number }>();
  const ran = new Set<string>();
  for (const event of options.recorded.all) {
    if (event.type !== 'hook.started' && event.type !== 'hook.completed') continue;
    if (event.background === true || event.event === 'ConfigChange' || eventOfHook(event.name) !== event.event)
      continue;
    names.add(event.name);
    ran.add(event.hookId);
    if (event.type === 'hook.started') continue;
    const known = facts.get(event.name) ?? {};
    facts.set(event.name, known);
    if (event.state?.type === 'rondo.once') known.once = true;
    if (event.outcome['failOpen'] === true) known.failOpen = true;
    const late = /^had not answered after (\d+) ms$/.exec(textOf(event.outcome['message']));
    if (late?.[1] !== undefined) known.timeoutMs = Number(late[1]);
  }
  return [...names].map((name): EventHook => {
    const { once, failOpen, timeoutMs = 60_000 } = facts.get(name) ?? {};
    return {
      name,
      event: eventOfHook(name) as HookEvent,
      timeoutMs,
      ...(once === undefined ? {} : { once }),
      ...(failOpen === undefined ? {} : { failOpen }),
      // Where a turn was stopped, a hook that the log does not tell of would have been next, and was not run.
      appliesTo: (_input, { hookId }) => ran.has(hookId) || options.isStopped(),
      run: (_input, context) => runAgain(context, options),
    };
  });
}

async function runAgain(context: EventHookContext, options: RecordedEventHooksOptions): Promise<HookRun> {
  const { recorded, gates } = options;
  const { hookId, signal } = context;
  const next = (): HookCompleted | undefined => {
    const event = recorded.next();
    return event?.type === 'hook.completed' && event.hookId === hookId ? event : undefined;
  };
  await gates.until(() => signal.aborted || next() !== undefined);
  const completed = next();
  const { model, usage, costUsd } = completed ?? {};
  if (usage !== undefined && model !== undefined)
    context.used({ model, usage, ...(costUsd === undefined ? {} : { costUsd }) });
  if (completed === undefined || completed.outcome['type'] === 'interrupted') {
    await gates.until(() => signal.aborted);
    throw signal.reason;
  }
  if (completed.outcome['type'] === 'failed') return await failAgain(completed, context, options);
  const { type: _type, ends: _ends, replaced, ...answer } = completed.outcome;
  const { output } = completed;
  const notices = noticesBehind(completed, options);
  return {
    answer: { ...answer, ...(replaced === true ? { updatedToolOutput: replacement(completed, options) } : {}) },
    ...(output === undefined ? {} : { output: outputOf(output) }),
    ...(notices.length === 0 ? {} : { notices }),
  };
}

const samples: Readonly<Record<string, JsonValue>> = {
  null: null,
  'a list': [],
  'an object': {},
  'a string': 'unheard of',
  'a number': 1,
  'a boolean': true,
};

/** Fails as it failed, as far as that can be done again. */
async function failAgain(
  completed: HookCompleted,
  { signal }: EventHookContext,
  { gates }: RecordedEventHooksOptions,
): Promise<HookRun> {
  const message = textOf(completed.outcome['message']);
  switch (completed.outcome['failure']) {
    case 'timeout':
      await gates.until(() => signal.aborted);
      throw signal.reason;
    case 'foreign': {
      const field = /^returned (.+) as (\w+)$/.exec(message);
      if (field?.[1] !== undefined && field[2] !== undefined)
        return { answer: { [field[2]]: samples[field[1]] } as HookRun['answer'] };
      const [, kind = ''] = /^returned (.+) without an answer$/.exec(message) ?? [];
      return samples[kind] as unknown as HookRun;
    }
    default: {
      const error = new Error(message.replace(/^failed: /, ''));
      const { output } = completed;
      throw output === undefined ? error : Object.assign(error, { output: outputOf(output) });
    }
  }
}

function outputOf({ stdout, stderr, exitCode }: NonNullable<HookCompleted['output']>) {
  return { stdout, stderr, ...(exitCode === undefined ? {} : { exitCode }) };
}

/** What its author was told of the run stands behind it. */
function noticesBehind(completed: HookCompleted, { recorded }: RecordedEventHooksOptions): string[] {
  const prefix = `${completed.name}: `;
  const notices: string[] = [];
  for (const event of recorded.all.slice(recorded.all.indexOf(completed) + 1)) {
    if (event.type !== 'notice' || event.details?.['hookId'] !== completed.hookId) break;
    if (event.message.startsWith(prefix)) notices.push(event.message.slice(prefix.length));
  }
  return notices;
}

/** What it put in place of a result, which the result says. */
function replacement({ callId = '' }: HookCompleted, { calls }: RecordedEventHooksOptions): JsonValue {
  const { content = [], structured } = calls.all.get(callId)?.completed ?? {};
  if (structured !== undefined) return structured;
  const [first, ...more] = content;
  if (first?.type === 'text' && more.length === 0) return first.text;
  return content as unknown as JsonValue;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
