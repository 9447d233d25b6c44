import type { ContentBlock, JsonValue } from '@rondo/protocol';
import { toolAlias } from '../context/tool-alias.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { hooksAt } from '../hook/loop-hook.ts';
import { inputHash, permitCall, type Permit, type PermissionGate } from '../permission/permission-gate.ts';
import { jsonOf } from '../tool/json-of.ts';
import { readInputs, type ReadInputs } from '../tool/read-inputs.ts';
import type { InputProblem, Tool, ToolContext, ToolResult } from '../tool/tool.ts';
import { toolContext } from './call-context.ts';
import { decidedFact, deniedByHookFact, startedFact } from './call-facts.ts';
import { checkedResult } from './checked-result.ts';
import { classifierOf } from './classify-call.ts';
import { completeResult, completeWithout, failedResult, notStartedText, unknownOutcomeText } from './complete-call.ts';
import { eventPoints } from './event-points.ts';
import { offeredTools, type PlannedCall } from './planned-call.ts';
import type { ReadyCall } from './ready-call.ts';
import { contentOf } from './result-content.ts';
import { type DeferredCall, type HookedCall, postToolCall, preToolCall } from './tool-hooks.ts';
import { tellWork } from './tell-work.ts';
import type { TurnParts } from './turn-parts.ts';
import { withinAbort } from './within-abort.ts';

export interface CallEnd {
  /** The answer to the call's question asked to stop the turn. */
  readonly interrupt: boolean;
  /** It has no result: it waits for a later turn. */
  readonly deferred?: DeferredCall;
}

/**
 * Takes one call from where it is to its result: validate, permit, store the intent, run, store the result. A call that
 * a crash left half-way goes on by what its effect allows. Never throws for what a tool does.
 */
export async function runCall(turn: TurnParts, call: PlannedCall): Promise<CallEnd> {
  const unusable = unusableCall(turn, call);
  if (unusable !== undefined) {
    completeWithout(turn, call, 'error', unusable);
    return { interrupt: false };
  }
  const tool = call.tool as Tool;
  const written = call.resumed?.input ?? call.block.input;
  const validated = tool.validate(written);
  if (!validated.ok) {
    completeWithout(turn, call, 'error', inputProblems(tool.name, validated.problems));
    return { interrupt: false };
  }
  const status = call.resumed?.status ?? 'requested';
  if (tool.askProblems !== undefined && status === 'requested') {
    const problems = await tool.askProblems(validated.input, { signal: turn.signal });
    if (problems.length > 0) {
      completeWithout(turn, call, 'error', inputProblems(tool.name, problems));
      return { interrupt: false };
    }
  }
  const inputs = await inputsOf(turn, tool);
  if (!inputs.ok) {
    completeWithoutInputs(turn, call, inputs.message);
    return { interrupt: false };
  }
  const ready: ReadyCall = { call, tool, input: validated.input, inputs: inputs.values };
  if (status === 'started') return await resumeStarted(turn, ready);
  if (status === 'denied') {
    completeWithout(turn, call, 'denied', call.resumed?.denial ?? 'This call was denied.');
    return { interrupt: false };
  }
  if (status === 'allowed') return await startCall(turn, ready, []);
  const left = await preToolCall(turn, ready);
  const points = eventPoints(turn);
  const hooked =
    left.type === 'judge' && points !== undefined
      ? await points.preToolUse(turn, { ...ready, input: left.input }, left)
      : left;
  if (hooked.type === 'deferred') return { interrupt: false, deferred: hooked.deferred };
  if (hooked.type === 'denied' && turn.inOrder !== undefined) await turn.inOrder(call.callId);
  if (hooked.type === 'judge') return await permitAndStart(turn, ready, hooked);
  if (hooked.type === 'stopped') completeWithout(turn, call, 'not_started', notStartedText);
  else completeWithout(turn, call, 'denied', hooked.content, [deniedByHookFact(turn, ready, hooked)]);
  return { interrupt: false };
}

const noInputs: ReadInputs = { ok: true, values: {} };

/** Reading them may take a schema's time, which an interrupt bounds. */
async function inputsOf(turn: TurnParts, { inputs }: Tool): Promise<ReadInputs> {
  if (inputs === undefined) return noInputs;
  const read = await attempt(turn, async () => await readInputs(inputs, turn.state.inputs));
  return 'value' in read ? read.value : { ok: false, message: 'the turn was stopped while its inputs were checked' };
}

function completeWithoutInputs(turn: TurnParts, call: PlannedCall, why: string): void {
  const mayHaveRun = call.resumed?.status === 'started' && call.resumed.effect !== 'none';
  if (mayHaveRun) completeWithout(turn, call, 'unknown', `${unknownOutcomeText} It cannot be gone on with: ${why}`);
  else if (turn.signal.aborted) completeWithout(turn, call, 'not_started', notStartedText);
  else completeWithout(turn, call, 'error', `This call of ${call.block.name} was not run: ${why}`);
}

/** @param hooked the arguments as hooks have left them, and whether one of them wants a person asked. */
async function permitAndStart(
  turn: TurnParts,
  written: ReadyCall,
  hooked: Extract<HookedCall, { type: 'judge' }>,
): Promise<CallEnd> {
  const ready = { ...written, input: hooked.input };
  const { call, tool, input } = ready;
  const permit = await permitCall(gateOf(turn, ready), {
    tool,
    input,
    callId: call.callId,
    toolCallId: call.block.toolCallId,
    openCallbackId: askedBefore(turn, ready),
    ...(hooked.ask === undefined ? {} : { hookAsk: hooked.ask }),
    ...(hooked.allow === undefined ? {} : { hookAllow: hooked.allow }),
  });
  if (permit.decision === 'closed') {
    completeWithout(turn, call, 'interrupted', 'The turn was interrupted while this call waited for permission.');
    return { interrupt: false };
  }
  const decided = decidedFact(turn, written, permit);
  if (permit.decision === 'deny') {
    completeWithout(turn, call, 'denied', permit.message, [decided]);
    return { interrupt: permit.interrupt };
  }
  return await startCall(turn, { ...ready, input: permit.input }, [decided], permit);
}

/**
 * The call's question from before a crash. One about other arguments than the call has now (a default of the tool has
 * changed, a secret was redacted) is closed, and whatever was answered to it counts for nothing.
 */
function askedBefore(turn: TurnParts, { call, tool, input }: ReadyCall): string | undefined {
  const callbackId = call.resumed?.callbackId;
  const known = callbackId === undefined ? undefined : turn.state.callbacks.get(callbackId);
  if (callbackId === undefined || known?.callback.type !== 'approval') return callbackId;
  if (known.callback.request.inputHash === inputHash(turn, tool, input)) return callbackId;
  if (!known.settled) turn.withdraw(callbackId);
  return undefined;
}

function gateOf(turn: TurnParts, ready: ReadyCall): PermissionGate {
  const unattended = turn.binding.unattended === 'deny' && turn.binding.asker === undefined;
  const { sessionId, turnId, policy, judge, clock, newId, sha256, resolvePath, foldCase, ask } = turn;
  const { refreshPolicy } = turn;
  const byTurn = { sessionId, turnId, policy, refreshPolicy, judge, clock, newId, sha256, resolvePath, foldCase, ask };
  const gate = { ...byTurn, unattended, classify: classifierOf(turn, ready) };
  const points = eventPoints(turn);
  if (points === undefined) return gate;
  return {
    ...gate,
    askHooks: (call, question) => points.answerByHooks(turn, ready, call, question),
    ask(callback) {
      if (!turn.state.callbacks.has(callback.id)) points.notifyOfQuestion(turn, callback);
      return ask(callback);
    },
  };
}

/** Stores the intent and runs. With an effect, nothing is dispatched before the intent is on disk. */
async function startCall(
  turn: TurnParts,
  ready: ReadyCall,
  facts: readonly EventDraft[],
  judged?: Pick<Extract<Permit, { decision: 'allow' }>, 'places' | 'sandboxed' | 'readsOnly'>,
): Promise<CallEnd> {
  const { call, tool, input } = ready;
  const context = toolContext(turn, ready, judged?.places, judged?.sandboxed);
  // A line that is known to read only may run again after a crash, though other lines of its tool may not.
  const effect = judged?.readsOnly === true ? 'none' : tool.effect(input);
  let prepared: JsonValue | undefined;
  if (tool.prepare !== undefined) {
    const found = await attempt(turn, async () => {
      const made = await tool.prepare?.(input, context);
      return made === undefined ? undefined : jsonOf(made);
    });
    if ('error' in found && !turn.signal.aborted) {
      completeResult(turn, call, 'error', failedResult(found.error), undefined, facts);
      return { interrupt: false };
    }
    if ('value' in found) prepared = found.value;
  }
  if (turn.signal.aborted) {
    completeWithout(turn, call, 'not_started', notStartedText, facts);
    return { interrupt: false };
  }
  const intent = turn.emit([...facts, startedFact(turn, ready, effect, prepared)]);
  if (effect !== 'none') await intent.committed;
  return await dispatch(turn, ready, context);
}

async function dispatch(turn: TurnParts, ready: ReadyCall, context: ToolContext): Promise<CallEnd> {
  // While the intent was being stored, somebody may have stopped the turn.
  if (turn.signal.aborted) {
    completeWithout(turn, ready.call, 'not_started', notStartedText);
    return { interrupt: false };
  }
  const startedAt = turn.clock.now();
  const told = tellWork(turn, ready.call.callId);
  const result = await attempt(turn, async () => checkedResult(await ready.tool.run(ready.input, context)));
  told?.();
  const durationMs = turn.clock.now() - startedAt;
  const ran = 'value' in result ? result.value : failedResult(result.error);
  await completeRun(turn, ready, ran, { durationMs, threw: 'error' in result });
  return { interrupt: false };
}

interface Run {
  readonly durationMs?: number;
  /** It returned nothing: what it threw is likely the interrupt itself. */
  readonly threw?: boolean;
}

/** The result of a call that ran, once hooks have let it pass. Of an interrupted one they judged nothing. */
async function completeRun(
  turn: TurnParts,
  ready: ReadyCall,
  ran: ToolResult,
  { durationMs, threw = false }: Run = {},
): Promise<void> {
  const passed = turn.signal.aborted ? undefined : await postToolCall(turn, ready, ran);
  const points = eventPoints(turn);
  const result =
    passed === undefined || points === undefined ? passed : await points.postToolUse(turn, ready, passed, durationMs);
  if (result !== undefined && turn.inOrder !== undefined) await turn.inOrder(ready.call.callId);
  if (result !== undefined && !turn.signal.aborted) {
    completeResult(turn, ready.call, result.isError === true ? 'error' : 'success', result, durationMs);
    return;
  }
  const { eventHooks = [] } = turn.binding;
  const isJudged =
    hooksAt(turn.binding, 'postToolCall').length > 0 || eventHooks.some(({ event }) => event === 'PostToolUse');
  const said = threw || isJudged ? [] : contentOf(ran.content);
  const text = 'This call was interrupted; what it had done by then stands.';
  const content: ContentBlock[] = [...said, { type: 'text', text }];
  points?.tellInterrupted(turn, ready, { content, isError: true });
  completeResult(turn, ready.call, 'interrupted', { content, isError: true }, durationMs);
}

/** What a crash left between intent and result: run again, find out, or say that nobody knows. */
async function resumeStarted(turn: TurnParts, ready: ReadyCall): Promise<CallEnd> {
  const { call, tool, input } = ready;
  const context = toolContext(turn, ready);
  const effect = call.resumed?.effect ?? 'once';
  if (effect === 'none' || effect === 'idempotent') return await dispatch(turn, ready, context);
  if (effect === 'reconcile' && tool.reconcile !== undefined) {
    const prepared = call.resumed?.prepared ?? null;
    const found = await attempt(turn, async () => {
      const outcome = await tool.reconcile?.(input, prepared, context);
      return outcome?.outcome === 'done' ? { ...outcome, result: checkedResult(outcome.result) } : outcome;
    });
    if ('value' in found && found.value?.outcome === 'done') {
      await completeRun(turn, ready, found.value.result);
      return { interrupt: false };
    }
    if ('value' in found && found.value?.outcome === 'not_done') return await dispatch(turn, ready, context);
    const reason = 'value' in found && found.value?.outcome === 'unknown' ? ` ${found.value.reason}` : '';
    completeWithout(turn, call, 'unknown', `${unknownOutcomeText}${reason}`);
    return { interrupt: false };
  }
  completeWithout(turn, call, 'unknown', unknownOutcomeText);
  return { interrupt: false };
}

async function attempt<Value>(
  turn: TurnParts,
  work: () => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly error: unknown }> {
  try {
    return { value: await withinAbort(turn.signal, work) };
  } catch (error) {
    return { error };
  }
}

/** Why the call cannot be judged at all, for the model; undefined when it can. */
function unusableCall(turn: TurnParts, call: PlannedCall): string | undefined {
  if (call.tool === undefined) {
    const known = offeredTools(turn)
      .map((tool) => toolAlias(tool.name))
      .join(', ');
    return `No such tool: ${call.block.name}. ${known === '' ? 'There are no tools.' : `The tools are ${known}.`}`;
  }
  const malformed = call.block.malformed;
  if (malformed === undefined) return undefined;
  const received = `Received ${malformed.text.length} characters, beginning with: ${malformed.text.slice(0, 200)}`;
  return `The call of ${call.block.name} was not run, since its arguments are not JSON: ${malformed.error}. ${received}`;
}

function inputProblems(name: string, problems: readonly InputProblem[]): string {
  const lines = problems.map((problem) =>
    problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`,
  );
  return `The arguments of ${name} do not fit:\n${lines.join('\n')}`;
}
