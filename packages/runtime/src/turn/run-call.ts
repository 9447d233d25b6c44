import type { ContentBlock, JsonValue, ToolEffect, ToolOutcome } from '@rondo/protocol';
import { toolAlias } from '../context/tool-alias.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { inputHash, permitCall, type Permit, type PermissionGate } from '../permission/permission-gate.ts';
import { createPathFilter } from '../permission/path-filter.ts';
import { isToolError } from '@rondo/protocol/values';
import { hooksAt } from '../hook/loop-hook.ts';
import { policyHash } from '../permission/policy-hash.ts';
import { readInputs } from '../tool/read-inputs.ts';
import type { InputProblem, Tool, ToolContext, ToolResult } from '../tool/tool.ts';
import { createCallQuestions, withdrawQuestions } from './call-questions.ts';
import { callFields, offeredTools, type PlannedCall } from './planned-call.ts';
import { type HookableCall, type HookedCall, postToolCall, preToolCall } from './tool-hooks.ts';
import type { TurnParts } from './turn-parts.ts';
import { withinAbort } from './within-abort.ts';

export interface CallEnd {
  /** The answer to the call's question asked to stop the turn. */
  readonly interrupt: boolean;
}

/** A call whose arguments fit its tool, with the session inputs that the tool reads. */
interface ReadyCall extends HookableCall {
  readonly inputs: Readonly<Record<string, unknown>>;
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
  const inputs = await readInputs(tool.inputs, turn.state.inputs);
  if (!inputs.ok) {
    const mayHaveRun = status === 'started' && call.resumed?.effect !== 'none';
    const text = `This call of ${tool.name} ${mayHaveRun ? 'cannot be gone on with' : 'was not run'}: ${inputs.message}`;
    completeWithout(turn, call, mayHaveRun ? 'unknown' : 'error', mayHaveRun ? `${unknownOutcomeText} ${text}` : text);
    return { interrupt: false };
  }
  const ready: ReadyCall = { call, tool, input: validated.input, inputs: inputs.values };
  if (status === 'started') return await resumeStarted(turn, ready);
  if (status === 'denied') {
    completeWithout(turn, call, 'denied', call.resumed?.denial ?? 'This call was denied.');
    return { interrupt: false };
  }
  if (status === 'allowed') return await startCall(turn, ready, []);
  const hooked = await preToolCall(turn, ready);
  if (hooked.type === 'judge') return await permitAndStart(turn, ready, hooked);
  if (hooked.type === 'stopped') completeWithout(turn, call, 'not_started', notStartedText);
  else completeWithout(turn, call, 'denied', hooked.content, [deniedByHookFact(turn, ready, hooked)]);
  return { interrupt: false };
}

/** @param hooked the arguments as hooks have left them, and whether one of them wants a person asked. */
async function permitAndStart(
  turn: TurnParts,
  written: ReadyCall,
  hooked: Extract<HookedCall, { type: 'judge' }>,
): Promise<CallEnd> {
  const ready = { ...written, input: hooked.input };
  const { call, tool, input } = ready;
  const permit = await permitCall(gateOf(turn), {
    tool,
    input,
    callId: call.callId,
    toolCallId: call.block.toolCallId,
    openCallbackId: askedBefore(turn, ready),
    ...(hooked.ask === undefined ? {} : { hookAsk: hooked.ask }),
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
  return await startCall(turn, { ...ready, input: permit.input }, [decided], permit.places);
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

function gateOf(turn: TurnParts): PermissionGate {
  const unattended = turn.binding.unattended === 'deny' && turn.binding.asker === undefined;
  const { sessionId, turnId, policy, judge, clock, newId, sha256, resolvePath, foldCase, ask } = turn;
  return { sessionId, turnId, policy, judge, clock, newId, sha256, resolvePath, foldCase, ask, unattended };
}

/** Stores the intent and runs. With an effect, nothing is dispatched before the intent is on disk. */
async function startCall(
  turn: TurnParts,
  ready: ReadyCall,
  facts: readonly EventDraft[],
  judgedPlaces?: ReadonlySet<string>,
): Promise<CallEnd> {
  const { call, tool, input } = ready;
  const context = toolContext(turn, ready, judgedPlaces);
  const effect = tool.effect(input);
  let prepared: JsonValue | undefined;
  if (tool.prepare !== undefined) {
    const found = await attempt(turn, async () => await tool.prepare?.(input, context));
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

export const notStartedText = 'The turn was interrupted before this call ran.';

async function dispatch(turn: TurnParts, ready: ReadyCall, context: ToolContext): Promise<CallEnd> {
  // While the intent was being stored, somebody may have stopped the turn.
  if (turn.signal.aborted) {
    completeWithout(turn, ready.call, 'not_started', notStartedText);
    return { interrupt: false };
  }
  const startedAt = turn.clock.now();
  const result = await attempt(turn, () => ready.tool.run(ready.input, context));
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
  const result = turn.signal.aborted ? undefined : await postToolCall(turn, ready, ran);
  if (result !== undefined && !turn.signal.aborted) {
    completeResult(turn, ready.call, result.isError === true ? 'error' : 'success', result, durationMs);
    return;
  }
  const isJudged = hooksAt(turn.binding, 'postToolCall').length > 0;
  const said = threw || isJudged ? [] : contentOf(ran.content);
  const text = 'This call was interrupted; what it had done by then stands.';
  const content: ContentBlock[] = [...said, { type: 'text', text }];
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
    const found = await attempt(turn, async () => await tool.reconcile?.(input, prepared, context));
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

export const unknownOutcomeText =
  'Nobody saw how this call ended, since its process died or failed. Whether it took effect is unknown; it was not run again. Check before repeating it.';

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

function toolContext(
  turn: TurnParts,
  { call, tool, input, inputs }: ReadyCall,
  judgedPlaces?: ReadonlySet<string>,
): ToolContext {
  const [cwd = turn.binding.cwd, ...additionalDirectories] = turn.policy().directories;
  return {
    sessionId: turn.sessionId,
    turnId: turn.turnId,
    callId: call.callId,
    toolCallId: call.block.toolCallId,
    idempotencyKey: `${turn.sessionId}/${call.callId}`,
    cwd,
    additionalDirectories,
    ...(judgedPlaces === undefined ? {} : { judgedPlaces }),
    pathFilter: () => {
      const { resolvePath, foldCase } = turn;
      return createPathFilter({ tool, input, policy: turn.policy(), resolvePath, foldCase });
    },
    env: turn.binding.env,
    sandbox: turn.binding.sandbox,
    outputDirectory: turn.outputDirectory,
    remembered: turn.state.remembered,
    inputs,
    signal: turn.signal,
    progress(progress) {
      // A tool that does not know that it has ended may go on telling.
      if (turn.state.active?.calls.get(call.callId)?.status !== 'started') return;
      turn.show(() => ({
        type: 'tool.progress',
        sessionId: turn.sessionId,
        turnId: turn.turnId,
        after: turn.state.cursor,
        callId: call.callId,
        progress,
      }));
    },
    ...createCallQuestions(turn, call, tool, input),
  };
}

function decidedFact(
  turn: TurnParts,
  ready: ReadyCall,
  permit: Extract<Permit, { decision: 'allow' | 'deny' }>,
): EventDraft {
  const rewritten = permit.decision === 'allow' && permit.input !== ready.input;
  return {
    type: 'tool.decided',
    ...callFields(turn, ready.call),
    decision: permit.decision,
    reasonType: permit.reasonType,
    policyHash: permit.policyHash,
    inputHash: permit.inputHash,
    ...(permit.reason === undefined ? {} : { reason: permit.reason }),
    ...(permit.rule === undefined ? {} : { rule: permit.rule }),
    ...(permit.source === undefined ? {} : { source: permit.source }),
    ...(rewritten ? { input: permit.input } : {}),
  };
}

function deniedByHookFact(
  turn: TurnParts,
  { call, tool, input }: ReadyCall,
  { hook, reason }: Extract<HookedCall, { type: 'denied' }>,
): EventDraft {
  return {
    type: 'tool.decided',
    ...callFields(turn, call),
    decision: 'deny',
    reasonType: 'hook',
    reason,
    source: hook,
    policyHash: policyHash(turn.policy(), turn.sha256),
    inputHash: inputHash(turn, tool, input),
  };
}

function startedFact(
  turn: TurnParts,
  ready: ReadyCall,
  effect: ToolEffect,
  prepared: JsonValue | undefined,
): EventDraft {
  return {
    type: 'tool.started',
    ...callFields(turn, ready.call),
    effect,
    ...(effect === 'idempotent' ? { idempotencyKey: `${turn.sessionId}/${ready.call.callId}` } : {}),
    ...(prepared === undefined ? {} : { prepared }),
  };
}

/** Gives a call its result without running it. */
export function completeWithout(
  turn: TurnParts,
  call: PlannedCall,
  outcome: ToolOutcome,
  content: ToolResult['content'],
  facts: readonly EventDraft[] = [],
): void {
  completeResult(turn, call, outcome, { content, isError: true }, undefined, facts);
}

function completeResult(
  turn: TurnParts,
  call: PlannedCall,
  outcome: ToolOutcome,
  result: ToolResult,
  durationMs?: number,
  facts: readonly EventDraft[] = [],
): void {
  const content = contentOf(result.content);
  withdrawQuestions(turn, call.callId);
  turn.emit([
    ...facts,
    {
      type: 'tool.completed',
      ...callFields(turn, call),
      isError: outcome !== 'success',
      outcome,
      content: [...content],
      ...(result.structured === undefined ? {} : { structured: result.structured }),
      ...(outcome === 'success' || content[0]?.type !== 'text' ? {} : { error: { message: content[0].text } }),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(result.remembered === undefined ? {} : { remembered: result.remembered }),
    },
  ]);
}

function contentOf(content: ToolResult['content']): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function failedResult(error: unknown): ToolResult {
  if (isToolError(error)) return { content: error.message, isError: true };
  const message = error instanceof Error ? error.message : String(error);
  return { content: `The tool failed: ${message}`, isError: true };
}
