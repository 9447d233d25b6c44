import type { ContentBlock, JsonObject } from '@rondo/protocol';
import { type HookOutcome, reasonText } from '../hook/hook-outcome.ts';
import { hooksAt, type PreToolCall } from '../hook/loop-hook.ts';
import { runHook } from '../hook/run-hook.ts';
import { toolId } from '../hook/tool-id.ts';
import type { Tool, ToolResult } from '../tool/tool.ts';
import type { PlannedCall } from './planned-call.ts';
import type { TurnParts } from './turn-parts.ts';

/** A call whose arguments fit its tool. */
export interface HookableCall {
  readonly call: PlannedCall;
  readonly tool: Tool;
  readonly input: JsonObject;
}

/** What the person or program that goes on with the session is told of a call that waits for it. */
export interface DeferredCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** What hooks make of a call before it is judged by the policy. None of it lifts what the policy denies or asks. */
export type HookedCall =
  | {
      readonly type: 'judge';
      readonly input: JsonObject;
      readonly ask?: { readonly hook: string; readonly reason: string };
      /** Of an event hook: it counts like an allow rule, for these arguments. */
      readonly allow?: { readonly hook: string; readonly reason: string };
    }
  | {
      readonly type: 'denied';
      readonly hook: string;
      /** In words, for the log. */
      readonly reason: string;
      /** What the model reads. */
      readonly content: readonly ContentBlock[];
    }
  /** An event hook has the call wait for a later turn, which takes it up again. */
  | { readonly type: 'deferred'; readonly deferred: DeferredCall }
  /** The turn was stopped: nothing is decided. */
  | { readonly type: 'stopped' };

/** Before a call. The first hook that stops it has the last word; where one asks, later ones may still stop it. */
export async function preToolCall(
  turn: TurnParts,
  hookable: HookableCall,
): Promise<Exclude<HookedCall, { type: 'deferred' }>> {
  const { call, tool } = hookable;
  let { input } = hookable;
  let asked: { readonly hook: string; readonly reason: string } | undefined;
  for (const hook of hooksAt(turn.binding, 'preToolCall')) {
    const outcome = await runHook(turn, hook, {
      point: 'preToolCall',
      id: call.callId,
      callId: call.callId,
      call: (at, context) => at.preToolCall?.(context, calledTool({ call, tool, input })),
    });
    if (outcome === undefined) return { type: 'stopped' };
    if (outcome.type === 'ask') asked ??= { hook: hook.name, reason: outcome.reason };
    else if (outcome.type !== 'continue') return deniedCall(tool, hook.name, outcome);
    if (outcome.type !== 'continue' || outcome.arguments === undefined) continue;
    const validated = tool.validate(outcome.arguments);
    if (!validated.ok) {
      const problems = validated.problems.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
      const message = `put arguments in place that do not fit: ${problems.join('; ')}`;
      return deniedCall(tool, hook.name, { type: 'failed', failure: 'arguments', message });
    }
    input = validated.input;
  }
  return { type: 'judge', input, ...(asked === undefined ? {} : { ask: asked }) };
}

function deniedCall(
  tool: Tool,
  hook: string,
  outcome: Exclude<HookOutcome, { type: 'continue' }>,
): Extract<HookedCall, { type: 'denied' }> {
  if (outcome.type === 'skip') {
    return { type: 'denied', hook, reason: reasonText(outcome.reason), content: outcome.reason };
  }
  const reason = `the hook "${hook}" ${outcome.type === 'failed' ? outcome.message : `decided ${outcome.type}`}`;
  const text = `This call of ${tool.name} was denied: ${reason}`;
  return { type: 'denied', hook, reason, content: [{ type: 'text', text }] };
}

function calledTool({ call, tool, input }: HookableCall): PreToolCall {
  return {
    toolId: toolId(tool),
    toolName: tool.name,
    toolKind: tool.kind,
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
    callId: call.callId,
    toolCallId: call.block.toolCallId,
    arguments: structuredClone(input),
  };
}

/**
 * After a call that ran, before anybody is told its result. A hook that fails withholds it, and the model is told that
 * the call did run. Undefined when the turn was stopped meanwhile.
 */
export async function postToolCall(
  turn: TurnParts,
  hookable: HookableCall,
  ran: ToolResult,
): Promise<ToolResult | undefined> {
  const { call, tool } = hookable;
  let result = ran;
  for (const hook of hooksAt(turn.binding, 'postToolCall')) {
    const given = { ...calledTool(hookable), result: hookedResult(result) };
    const outcome = await runHook(turn, hook, {
      point: 'postToolCall',
      id: call.callId,
      callId: call.callId,
      // A call that runs again after a crash may give something else.
      anew: true,
      call: (at, context) => at.postToolCall?.(context, given),
    });
    if (outcome === undefined) return undefined;
    const remembered = result.remembered === undefined ? {} : { remembered: result.remembered };
    if (outcome.type !== 'continue') {
      const why = outcome.type === 'failed' ? outcome.message : `decided ${outcome.type}`;
      const content = `The call of ${tool.name} ran. Its result is withheld, since the hook "${hook.name}" ${why}`;
      return { content, isError: true, ...remembered };
    }
    if (outcome.result !== undefined) result = { isError: result.isError === true, ...outcome.result, ...remembered };
  }
  return result;
}

function hookedResult({ content, structured, isError }: ToolResult) {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return structuredClone({
    content: blocks,
    ...(structured === undefined ? {} : { structured }),
    isError: isError === true,
  });
}
