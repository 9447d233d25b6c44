import type { JsonObject, JsonValue, OpenClientToolCall, OpenSignIn, StandardSchema, ToolKind } from '@rondo/protocol';
import { ToolError } from '@rondo/protocol/values';
import { SPAWN_TOOL } from '../session/spawn-tool.ts';
import { defineSessionInput } from '../tool/session-input.ts';
import type { Tool, ToolContext, ToolResult } from '../tool/tool.ts';
import { unknownOutcomeText } from '../turn/complete-call.ts';
import {
  effectOf,
  isReadyLater,
  isUnusable,
  judgedInput,
  type RecordedCall,
  type RecordedCalls,
} from './recorded-calls.ts';
import { callOf, type RecordedEvents } from './recorded-events.ts';
import type { ReplayGates } from './replay-gates.ts';

export interface RecordedToolOptions {
  readonly recorded: RecordedEvents;
  readonly calls: RecordedCalls;
  readonly gates: ReplayGates;
  readonly questionsOf: (callId: string) => readonly (OpenSignIn | OpenClientToolCall)[];
  /** Tools that only read really run. */
  readonly live?: { readonly onCall: () => void } | undefined;
}

/** A tool of which no more is known than what its calls gave. */
export function createRecordedTool(name: string, kind: ToolKind, options: RecordedToolOptions): Tool {
  const { calls } = options;
  return {
    name,
    description: '',
    kind,
    ruleContent: 'none',
    // Agents that are started one beside the other work at once.
    ...(kind === 'builtin' && name === SPAWN_TOOL ? { delegates: true } : {}),
    ...(kind === 'mcp' && ranBesideOthers(name, calls) ? { concurrent: true } : {}),
    specification: () => ({ name, description: '', inputSchema: { type: 'object' } }),
    validate(input) {
      const call = calls.byInput(input);
      if (call !== undefined && (isUnusable(call) || isMisfit(call, input)))
        return { ok: false, problems: [{ path: '', message: 'refused, as the log says' }] };
      const isWritten = call !== undefined && call.block.input === input;
      return { ok: true, input: (isWritten ? judgedInput(call) : input) as JsonObject };
    },
    effect(input) {
      const call = calls.byInput(input);
      return call === undefined ? 'once' : effectOf(call, calls);
    },
    access: () => ({}),
    ...(isReadyLater(name, calls) ? { inputs: { any: anyInput } } : {}),
    ...answersOf(options),
  };
}

/** Whether a call of the tool was at work while one behind it in the same reply began. */
function ranBesideOthers(name: string, { all }: RecordedCalls): boolean {
  const started = [...all.values()].filter((call) => call.started !== undefined);
  return started.some(
    (call) =>
      call.name === name &&
      started.some(
        ({ entryId, place, decided }) =>
          entryId === call.entryId && place > call.place && (decided?.seq ?? 0) < (call.completed?.seq ?? Infinity),
      ),
  );
}

const anyInput = defineSessionInput('any', {
  '~standard': { version: 1, vendor: 'replay', validate: (value: unknown) => ({ value }) },
} satisfies StandardSchema);

/** What an answer put in place of the arguments, and did not fit. */
function isMisfit({ decided, resolved }: RecordedCall, input: JsonValue): boolean {
  return (
    decided?.reasonType === 'input' && resolved?.answer?.type === 'allow' && resolved.answer.updatedInput === input
  );
}

/** A tool as it is today, whose calls give what they gave then. */
export function withRecordedCalls(tool: Tool, options: RecordedToolOptions): Tool {
  const { prepare, reconcile, run } = answersOf(options);
  const recordedRun: Tool['run'] = async (input, context) => {
    const call = options.calls.all.get(context.callId);
    const runs = options.live !== undefined && call?.started?.effect === 'none' && tool.effect(input) === 'none';
    const isWhole = call?.completed?.outcome === 'success' || call?.completed?.outcome === 'error';
    if (!runs || !isWhole) return await run(input, context);
    options.live?.onCall();
    try {
      return await options.gates.working(tool.run(input, context));
    } finally {
      await options.gates.until(() => nextIsOf(options.recorded, context.callId));
    }
  };
  return Object.create(tool, {
    run: { value: recordedRun },
    ...(tool.prepare === undefined ? {} : { prepare: { value: prepare } }),
    ...(tool.reconcile === undefined ? {} : { reconcile: { value: reconcile } }),
  }) as Tool;
}

function answersOf(options: RecordedToolOptions) {
  const { recorded, calls, gates } = options;
  return {
    async prepare(_input: JsonObject, { callId }: ToolContext): Promise<JsonValue> {
      const { started, completed } = calls.all.get(callId) ?? {};
      if (started === undefined && completed?.outcome === 'error') throw new ToolError(textOf(completed.content));
      await Promise.resolve();
      return started?.prepared as JsonValue;
    },
    async reconcile(_input: JsonObject, _prepared: JsonValue, { callId }: ToolContext) {
      await gates.until(() => nextIsOf(recorded, callId));
      const completed = calls.all.get(callId)?.completed;
      if (completed === undefined || completed.durationMs !== undefined) return { outcome: 'not_done' } as const;
      // Hooks were told of what it gave, and the process died: whoever took over found it otherwise.
      if (completed.outcome === 'unknown' && isToldToHooks(recorded, callId))
        return { outcome: 'done', result: { content: [] } } as const;
      if (completed.outcome !== 'unknown') return { outcome: 'done', result: resultOf(completed) } as const;
      const reason = textOf(completed.content).slice(unknownOutcomeText.length + 1);
      if (reason === '') throw new ToolError('nobody knows');
      return { outcome: 'unknown', reason } as const;
    },
    async run(_input: JsonObject, context: ToolContext): Promise<ToolResult> {
      const { callId } = context;
      await askAgain(options, context);
      const call = calls.all.get(callId);
      // What hooks were told of had ended; what it gave is not in the log.
      const isJudged = isQueued(recorded, callId) || isToldToHooks(recorded, callId);
      const isInterrupted = call?.completed?.outcome === 'interrupted';
      if (isInterrupted && isJudged) return told(recorded);
      const isNext = (): boolean => nextIsOf(recorded, callId) || isQueued(recorded, callId);
      await gates.until(() => isNext() && (!isInterrupted || context.signal.aborted));
      if (call?.completed === undefined) return told(recorded);
      if (!isInterrupted) return resultOf(call.completed);
      // The turn adds that it was interrupted, to what the tool had said all the same.
      const said = call.completed.content.slice(0, -1);
      if (said.length === 0) throw new ToolError('interrupted');
      return { ...resultOf(call.completed), content: said };
    },
  };
}

/** A result that the log does not have, of the kind that hooks are told of next. */
function told(recorded: RecordedEvents): ToolResult {
  const next = recorded.following();
  const isTold = next?.type === 'hook.started' || next?.type === 'hook.completed';
  if (isTold && next.event !== 'PostToolUseFailure') return { content: [] };
  throw new ToolError('the log does not say how this call ended');
}

/** Puts the questions again that the tool had put while it ran. */
async function askAgain({ recorded, gates, questionsOf }: RecordedToolOptions, context: ToolContext): Promise<void> {
  for (let asked = 0; ; asked += 1) {
    let question = questionsOf(context.callId)[asked];
    if (question === undefined) {
      await gates.until(() => nextIsOf(recorded, context.callId) || isQueued(recorded, context.callId));
      const event = recorded.following();
      if (event?.type !== 'callback.opened') return;
      if (event.callback.type !== 'client_tool' && event.callback.type !== 'sign_in') return;
      question = event.callback;
    }
    try {
      if (question.type === 'sign_in') await context.requestSignIn(question.requests);
      else await context.askClient();
    } catch {
      // The tool was told that nobody answers, and what it made of that is in its result.
    }
  }
}

/** Whether hooks are told of the call next, or were before a crash and decide next. */
function isToldToHooks(recorded: RecordedEvents, callId: string): boolean {
  const type = recorded.following()?.type;
  return (type === 'hook.started' || type === 'hook.completed') && nextIsOf(recorded, callId);
}

/** Whether the call waits for a hook that is still at work for another. */
function isQueued(recorded: RecordedEvents, callId: string): boolean {
  const [next, behind] = recorded.ahead();
  if (next?.type !== 'hook.completed' || behind?.type !== 'hook.started') return false;
  return behind.name === next.name && behind.callId === callId;
}

export function nextIsOf(recorded: RecordedEvents, callId: string): boolean {
  return callOf(recorded.following()) === callId;
}

type Completed = NonNullable<RecordedCall['completed']>;

function resultOf({ content, structured, remembered, outcome }: Completed): ToolResult {
  return {
    content,
    ...(structured === undefined ? {} : { structured }),
    ...(outcome === 'success' ? {} : { isError: true }),
    ...(remembered === undefined ? {} : { remembered }),
  };
}

function textOf(content: Completed['content']): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}
