import type { AssistantEntry, ToolCallBlock, ToolKind } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { CallState } from '../event/session-state.ts';
import { isToolRemoved } from '../permission/compile-policy.ts';
import type { Tool } from '../tool/tool.ts';
import type { TurnParts } from './turn-parts.ts';

/** A call of the model, its tool where there is one, and how far it got before a crash, if it did. */
export interface PlannedCall {
  readonly callId: string;
  readonly block: ToolCallBlock;
  readonly tool: Tool | undefined;
  readonly requested: EventDraft;
  readonly resumed: CallState | undefined;
}

/**
 * The calls of an assistant message that have no result yet, in the model's order.
 * @param answered calls that an earlier turn has taken to their results
 */
export function planCalls(turn: TurnParts, entry: AssistantEntry, answered: ReadonlySet<string> = none): PlannedCall[] {
  const planned: PlannedCall[] = [];
  for (const [index, block] of entry.content.entries()) {
    if (block.type !== 'tool_call') continue;
    const callId = `${entry.id}#${index}`;
    const resumed = turn.state.active?.calls.get(callId);
    if (resumed?.status === 'completed' || answered.has(callId)) continue;
    const tool = toolCalled(turn, block.name);
    planned.push({
      callId,
      block,
      tool,
      resumed,
      requested: requestedFact(turn, entry, callId, index, block, tool?.kind),
    });
  }
  return planned;
}

const none: ReadonlySet<string> = new Set();

/** The tools that the model may know of: those of the binding that no rule takes away. */
export function offeredTools(turn: Pick<TurnParts, 'binding' | 'policy'>): readonly Tool[] {
  const policy = turn.policy();
  return turn.binding.tools.filter(
    ({ name, standsFor }) =>
      !isToolRemoved(policy, name) && (standsFor === undefined || !isToolRemoved(policy, standsFor.name)),
  );
}

function toolCalled(turn: TurnParts, name: string): Tool | undefined {
  const { toolAliases = {} } = turn.binding;
  const meant = Object.hasOwn(toolAliases, name) ? toolAliases[name] : name;
  return offeredTools(turn).find((tool) => tool.name === meant);
}

function requestedFact(
  turn: TurnParts,
  entry: AssistantEntry,
  callId: string,
  index: number,
  block: ToolCallBlock,
  toolKind: ToolKind = 'local',
): EventDraft {
  return {
    type: 'tool.requested',
    turnId: turn.turnId,
    callId,
    toolCallId: block.toolCallId,
    name: block.name,
    toolKind,
    entryId: entry.id,
    block: index,
  };
}

/** The fields that every event of a call carries. */
export function callFields(turn: TurnParts, call: PlannedCall) {
  return { turnId: turn.turnId, callId: call.callId, toolCallId: call.block.toolCallId, name: call.block.name };
}

/** Whether the call only reads, judged on what the model wrote; a call that does not validate touches nothing. */
export function onlyReads(call: PlannedCall): boolean {
  if (call.tool === undefined || call.block.malformed !== undefined) return true;
  const validated = call.tool.validate(call.block.input);
  return !validated.ok || call.tool.effect(validated.input) === 'none';
}
