import type { ContentBlock, JsonObject, JsonValue, OpenApproval, OpenSignIn } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import { parentIdOf } from '../event/session-tree-id.ts';
import type { HookEvent } from '../hook/event-hook.ts';
import { recordedEventOutcome } from '../hook/event-outcome.ts';
import { eventHookName } from '../hook/event-place.ts';
import type { HookVerdict } from '../hook/merge-answers.ts';
import { hasEventHooks, runEventHooks } from '../hook/run-event-hooks.ts';
import type { PermissionDecision } from '../permission/decide-permission.ts';
import type { CallToPermit, HookedAnswer } from '../permission/permission-gate.ts';
import { checkContent } from '../tool/checked-content.ts';
import type { Tool, ToolResult } from '../tool/tool.ts';
import { contextFacts, isBlocking } from './event-facts.ts';
import { contentOf } from './result-content.ts';
import type { HookableCall, HookedCall } from './tool-hooks.ts';
import type { TurnParts } from './turn-parts.ts';

/** What names a call to hooks, to all of its events. */
function about({ call, tool }: HookableCall) {
  const { callId, block } = call;
  const { standsFor } = tool;
  const alias = standsFor === undefined ? {} : { alias: standsFor.name };
  return { id: callId, subject: tool.name, ...alias, callId, toolUseId: block.toolCallId };
}

function called({ call, tool }: HookableCall, input: JsonObject) {
  return { tool_name: tool.name, tool_input: input, tool_use_id: call.block.toolCallId };
}

/** `PreToolUse`: a call that validates, before the policy judges it, as the hooks of the first face have left it. */
export async function preToolUse(
  turn: TurnParts,
  hookable: HookableCall,
  judged: Extract<HookedCall, { type: 'judge' }>,
): Promise<HookedCall> {
  if (!hasEventHooks(turn.binding, 'PreToolUse')) return judged;
  const { tool, call } = hookable;
  const { input } = judged;
  const verdict = await runEventHooks(turn, {
    event: 'PreToolUse',
    ...about(hookable),
    input: called(hookable, input),
    rewritable: input,
  });
  if (verdict === undefined) return { type: 'stopped' };
  const { decision, hook = 'a hook', stop, updatedInput } = verdict;
  if (decision === 'deny') return deniedByEvent(tool, hook, verdict.reason ?? 'it gave no reason');
  if (stop !== undefined) return deniedByEvent(tool, stop.hook, stop.reason ?? 'it stopped the turn');
  if (decision === 'defer') {
    if (parentIdOf(turn.sessionId) !== undefined)
      return deniedByEvent(tool, hook, 'a call of a subagent cannot wait for a later turn, so it was not run');
    const deferred = { id: call.block.toolCallId, name: tool.name, input: updatedInput ?? input };
    return { type: 'deferred', deferred };
  }
  const validated = updatedInput === undefined ? undefined : tool.validate(updatedInput);
  if (validated?.ok === false) {
    const problems = validated.problems.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
    return deniedByEvent(tool, hook, `the arguments that were put in place do not fit: ${problems.join('; ')}`);
  }
  const opinion = {
    hook,
    reason: verdict.reason ?? (decision === 'ask' ? 'a hook wants it asked' : 'allowed by a hook'),
  };
  return {
    ...judged,
    input: validated?.input ?? input,
    ...(decision === 'ask' && judged.ask === undefined ? { ask: opinion } : {}),
    ...(decision === 'allow' ? { allow: opinion } : {}),
  };
}

function deniedByEvent(tool: Tool, hook: string, reason: string): HookedCall {
  const text = `PreToolUse:${tool.name} hook error: ${reason}`;
  return { type: 'denied', hook, reason: text, content: [{ type: 'text', text }] };
}

/** `PermissionRequest`: hooks that may answer before a person is asked, or where nobody is there to ask. */
export async function answerByHooks(
  turn: TurnParts,
  hookable: HookableCall,
  { input }: CallToPermit,
  { suggestions }: PermissionDecision,
): Promise<HookedAnswer | undefined> {
  if (!hasEventHooks(turn.binding, 'PermissionRequest')) return undefined;
  const { tool } = hookable;
  const verdict = await runEventHooks(turn, {
    event: 'PermissionRequest',
    ...about(hookable),
    input: {
      tool_name: tool.name,
      tool_input: input,
      ...(suggestions === undefined ? {} : { permission_suggestions: suggestions }),
    },
    rewritable: input,
    follow: (said) => {
      const { stop, updatedInput = input, updatedPermissions = [] } = said;
      // What is allowed beside the call counts with the call alone.
      const isAllowed = stop === undefined && tool.validate(updatedInput).ok && problemOf(turn, said) === undefined;
      return isAllowed ? turn.permissionFacts(updatedPermissions) : [];
    },
  });
  if (verdict === undefined) return { type: 'closed' };
  const { decision, hook = 'a hook', reason, stop, interrupt, updatedInput } = verdict;
  const problem = problemOf(turn, verdict);
  const denied = (by: string, why: string): HookedAnswer => {
    const message = `PermissionRequest:${tool.name} hook error: ${why}`;
    return { type: 'answered', by, answer: { type: 'deny', message, ...(interrupt === true ? { interrupt } : {}) } };
  };
  if (decision === 'deny') return denied(hook, reason ?? 'it gave no reason');
  if (stop !== undefined) return denied(stop.hook, stop.reason ?? 'it stopped the turn');
  if (decision !== 'allow') return undefined;
  if (problem !== undefined) return denied(hook, `what it allows beside the call cannot be: ${problem}`);
  return {
    type: 'answered',
    by: hook,
    answer: { type: 'allow', scope: 'once', ...(updatedInput === undefined ? {} : { updatedInput }) },
  };
}

function problemOf(turn: TurnParts, { decision, updatedPermissions = [] }: HookVerdict): string | undefined {
  if (decision !== 'allow' || updatedPermissions.length === 0) return undefined;
  try {
    turn.permissionFacts(updatedPermissions);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** `PostToolUse` or `PostToolUseFailure`, of a call that ran. Undefined when the turn was stopped meanwhile. */
export async function postToolUse(
  turn: TurnParts,
  hookable: HookableCall,
  ran: ToolResult,
  durationMs: number | undefined,
): Promise<ToolResult | undefined> {
  const { input } = hookable;
  const took = durationMs === undefined ? {} : { duration_ms: durationMs };
  // A call that runs again after a crash may give something else.
  const place = { ...about(hookable), anew: true };
  if (ran.isError === true) {
    if (!hasEventHooks(turn.binding, 'PostToolUseFailure')) return ran;
    const told = { ...called(hookable, input), error: textOf(ran), is_interrupt: false, ...took };
    const verdict = await runEventHooks(turn, { event: 'PostToolUseFailure', ...place, input: told });
    return verdict === undefined ? undefined : ran;
  }
  if (!hasEventHooks(turn.binding, 'PostToolUse')) return ran;
  const told = { ...called(hookable, input), tool_response: responseOf(ran), ...took };
  const verdict = await runEventHooks(turn, { event: 'PostToolUse', ...place, input: told });
  if (verdict === undefined) return undefined;
  return verdict.updatedToolOutput === undefined ? ran : replaced(ran, verdict.updatedToolOutput);
}

function responseOf({ structured, content }: ToolResult): JsonValue {
  if (structured !== undefined) return structured;
  const [first, ...more] = contentOf(content);
  if (first?.type === 'text' && more.length === 0) return first.text;
  return contentOf(content) as unknown as JsonValue;
}

function textOf({ content }: ToolResult): string {
  return contentOf(content)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n');
}

function replaced({ isError, remembered }: ToolResult, output: JsonValue): ToolResult {
  const kept = {
    ...(isError === undefined ? {} : { isError }),
    ...(remembered === undefined ? {} : { remembered }),
  };
  if (typeof output === 'string') return { content: output, ...kept };
  const blocks = blocksOf(output);
  if (blocks !== undefined) return { content: blocks, ...kept };
  return { content: JSON.stringify(output), structured: output, ...kept };
}

function blocksOf(output: JsonValue): readonly ContentBlock[] | undefined {
  if (!Array.isArray(output)) return undefined;
  try {
    checkContent(output);
    return output as unknown as readonly ContentBlock[];
  } catch {
    return undefined;
  }
}

/** `PostToolUseFailure` of a call that was interrupted: its turn is stopped, so that nobody waits for what hooks say. */
export function tellInterrupted(turn: TurnParts, hookable: HookableCall, ran: ToolResult): void {
  if (!hasEventHooks(turn.binding, 'PostToolUseFailure')) return;
  const { signal } = new AbortController();
  const binding = {
    ...turn.binding,
    eventHooks: (turn.binding.eventHooks ?? []).map((hook) => ({ ...hook, background: true })),
  };
  const told = { ...called(hookable, hookable.input), error: textOf(ran), is_interrupt: true };
  void runEventHooks({ ...turn, signal, binding }, { event: 'PostToolUseFailure', ...about(hookable), input: told });
}

const callEvents = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
] as const satisfies HookEvent[];

/** What the hooks of a call have for the model beside its result, from what the log has of them. */
export function callContexts(turn: TurnParts, callId: string, name: string): EventDraft[] {
  const runs = turn.state.active?.hookRuns;
  if (runs === undefined || runs.size === 0) return [];
  return callEvents.flatMap((event) => {
    const texts = (turn.binding.eventHooks ?? []).flatMap((hook) => {
      if (hook.event !== event) return [];
      const { outcome, background } = runs.get(`${event}/${callId}/${eventHookName(hook)}`) ?? {};
      return outcome === undefined || background === true ? [] : textsOf(event, name, outcome);
    });
    return contextFacts(turn, `${event}/${callId}`, texts);
  });
}

function textsOf(event: (typeof callEvents)[number], name: string, record: JsonObject): string[] {
  if (record['type'] !== 'answer') return [];
  const outcome = recordedEventOutcome(record);
  if (outcome.type !== 'answer') return [];
  const { additionalContext, reason } = outcome.answer;
  const isAfter = event === 'PostToolUse' || event === 'PostToolUseFailure';
  const blocked =
    isAfter && isBlocking(outcome) ? [`${event}:${name} hook blocked: ${reason ?? 'it gave no reason'}`] : [];
  return [...blocked, ...(additionalContext === undefined || additionalContext === '' ? [] : [additionalContext])];
}

/** `Notification`: a question waits for a person. Nobody waits for what hooks do about it. */
export function notifyOfQuestion(turn: TurnParts, { id, title, type }: OpenApproval | OpenSignIn): void {
  if (!hasEventHooks(turn.binding, 'Notification')) return;
  const notificationType = type === 'approval' ? 'permission_prompt' : 'elicitation_dialog';
  const message = type === 'approval' ? `Permission is needed: ${title}` : title;
  const input = { message, title, notification_type: notificationType };
  void runEventHooks(turn, { event: 'Notification', id, subject: notificationType, input });
}
