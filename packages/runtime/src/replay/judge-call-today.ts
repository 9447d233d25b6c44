import type { JsonObject } from '@rondo/protocol';
import { judgeByPolicy, type PermissionGate } from '../permission/permission-gate.ts';
import type { Tool } from '../tool/tool.ts';
import type { PlannedCall } from '../turn/planned-call.ts';
import { preToolCall } from '../turn/tool-hooks.ts';
import type { TurnParts } from '../turn/turn-parts.ts';
import type { RecordedCall } from './recorded-calls.ts';
import type { RecordedRuns } from './recorded-runs.ts';
import type { Verdict } from './replay-report.ts';
import type { TodayTurn } from './today-turn.ts';

/** A call whose arguments fit today's tool of its name. */
export interface JudgedCall {
  readonly call: RecordedCall;
  readonly tool: Tool;
  readonly input: JsonObject;
}

export interface JudgedToday {
  readonly recorded: Verdict;
  readonly today: Verdict;
}

/**
 * What today's hooks and then, with the arguments as these leave them, today's policy make of a call. Undefined where it
 * was not decided then, or by what is not judged.
 */
export async function judgeCallToday(
  { turn }: TodayTurn,
  judged: JudgedCall,
  runs: RecordedRuns,
): Promise<JudgedToday | undefined> {
  const { call, tool } = judged;
  const hooked = await preToolCall(turn, { ...judged, call: plannedCall(turn, judged) });
  const recorded = verdictThen(call);
  if (recorded === undefined || hooked.type === 'stopped' || runs.isDecidedElsewhere(call.callId)) return undefined;
  if (hooked.type === 'denied') {
    const { reason, hook: source } = hooked;
    return { recorded, today: { decision: 'deny', reasonType: 'hook', reason, source } };
  }
  const { callId, toolCallId } = { callId: call.callId, toolCallId: call.block.toolCallId };
  const hookAsk = hooked.ask === undefined ? {} : { hookAsk: hooked.ask };
  const today = await judgeByPolicy(
    gateOf(turn, call),
    { tool, input: hooked.input, callId, toolCallId, ...hookAsk },
    false,
  );
  return { recorded, today: verdict(today) };
}

/** The call as a turn plans it. */
export function plannedCall({ turnId }: TurnParts, { call, tool }: JudgedCall): PlannedCall {
  const { callId, name, entryId, place, block } = call;
  const { toolCallId } = block;
  const fields = { turnId, callId, toolCallId, name, toolKind: tool.kind, entryId, block: place };
  return { callId, block, tool, requested: { type: 'tool.requested', ...fields }, resumed: undefined };
}

function gateOf(turn: TurnParts, { classified, decided }: RecordedCall): PermissionGate {
  const { sessionId, turnId, policy, clock, newId, sha256, resolvePath, foldCase, ask, binding } = turn;
  const unattended = binding.unattended === 'deny' && binding.asker === undefined;
  // No model is asked: what the classifier said is in the log.
  const verdict = classified ?? (decided?.reasonType === 'classifier' ? decided : undefined);
  const noVerdict = { decision: 'ask', reason: 'the log has no verdict of a classifier on this call' } as const;
  const taken = verdict && { decision: verdict.decision, reason: verdict.reason ?? '' };
  const classify = () => Promise.resolve(taken ?? noVerdict);
  return { sessionId, turnId, policy, clock, newId, sha256, resolvePath, foldCase, ask, unattended, classify };
}

/** What a call was decided to be: where a person was asked, that it was. */
export function verdictThen({ opened, decided }: RecordedCall): Verdict | undefined {
  if (opened?.callback.type === 'approval') {
    const { reason, reasonType } = opened.callback.request;
    return {
      decision: 'ask',
      ...(reason === undefined ? {} : { reason }),
      ...(reasonType === undefined ? {} : { reasonType }),
    };
  }
  return decided === undefined ? undefined : verdict(decided);
}

type Given<Facts> = { readonly [Key in keyof Facts]: Facts[Key] | undefined } & Pick<Verdict, 'decision'>;

function verdict({ decision, reasonType, reason, rule, source }: Given<Verdict>): Verdict {
  return {
    decision,
    ...(reasonType === undefined ? {} : { reasonType }),
    ...(reason === undefined ? {} : { reason }),
    ...(rule === undefined ? {} : { rule }),
    ...(source === undefined ? {} : { source }),
  };
}
