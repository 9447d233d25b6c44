import type { JsonValue, ToolEffect } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import { inputHash, type Permit } from '../permission/permission-gate.ts';
import { policyHash } from '../permission/policy-hash.ts';
import { callFields } from './planned-call.ts';
import type { ReadyCall } from './ready-call.ts';
import type { HookedCall } from './tool-hooks.ts';
import type { TurnParts } from './turn-parts.ts';

/** @param ready the call as the model wrote it: other arguments are stored with the decision. */
export function decidedFact(
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

export function deniedByHookFact(
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

export function startedFact(
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
