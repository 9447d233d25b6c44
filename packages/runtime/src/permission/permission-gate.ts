import type { AllowAnswer, DenyAnswer, JsonObject, OpenApproval } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import type { ApprovalOutcome } from '../callback/callback-desk.ts';
import type { Clock } from '../event/clock.ts';
import { isoTime } from '../event/iso-time.ts';
import type { Tool, ValidatedInput } from '../tool/tool.ts';
import type { ClassifierVerdict } from './classifier.ts';
import type { PermissionDecision } from './decide-permission.ts';
import { judgeCall } from './judge-call.ts';
import type { Policy } from './policy.ts';
import { policyHash } from './policy-hash.ts';
import { sessionRuleFor } from './session-rule.ts';

/** What the gate needs of the turn it judges for. */
export interface PermissionGate {
  readonly sessionId: string;
  readonly turnId: string;
  readonly policy: () => Policy;
  /** Looks whether others have changed the policy, before it is read. */
  readonly refreshPolicy?: (() => Promise<void> | undefined) | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly sha256: (text: string) => string;
  readonly resolvePath: (path: string) => Promise<string>;
  readonly ask: (callback: OpenApproval) => Promise<ApprovalOutcome>;
  /** True when no question may be asked, since nobody will answer. */
  readonly unattended: boolean;
  /** The file system does not tell upper from lower case. */
  readonly foldCase: boolean;
  /**
   * Judges in a person's place, in the mode `auto`; told why nothing else allows the call. Absent where there is no
   * classifier: then the question is left.
   */
  readonly classify?: ((input: JsonObject, why: string) => Promise<ClassifierVerdict>) | undefined;
  /** Judges in the policy's place: a replay takes from the log what was decided. */
  readonly judge?: Judge | undefined;
  /**
   * Hooks that may answer in a person's place, asked before the person is, and also where nobody is there to ask.
   * Undefined when none of them has an opinion.
   */
  readonly askHooks?:
    | ((call: CallToPermit, question: PermissionDecision) => Promise<HookedAnswer | undefined>)
    | undefined;
}

/** What hooks answered to a question; `closed` when the turn was stopped meanwhile, which is never consent. */
export type HookedAnswer =
  | { readonly type: 'answered'; readonly answer: AllowAnswer | DenyAnswer; readonly by: string }
  | { readonly type: 'closed' };

/** @param answered a person has just allowed the call with these arguments. */
export type Judge = (gate: PermissionGate, call: CallToPermit, answered: boolean) => Promise<Judged>;

export interface CallToPermit {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly callId: string;
  readonly toolCallId: string;
  /** The call's question, when a crash left it open or answered. */
  readonly openCallbackId?: string | undefined;
  /** A hook that wants a person asked, and why. */
  readonly hookAsk?: { readonly hook: string; readonly reason: string };
  /** A hook that allows the call with these arguments, and why. */
  readonly hookAllow?: { readonly hook: string; readonly reason: string };
}

interface Decided {
  readonly reasonType: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly source?: string;
  readonly policyHash: string;
  readonly inputHash: string;
}

/**
 * Whether a call may run, with which arguments, and where its paths led when that was judged. `closed`: the turn ended
 * before anybody answered.
 */
export type Permit =
  | ({
      readonly decision: 'allow';
      readonly input: JsonObject;
      readonly places: ReadonlySet<string>;
      /** Absent: nobody has judged that. */
      readonly sandboxed?: boolean;
      /** Its command was taken apart and is known to change nothing. */
      readonly readsOnly?: true;
    } & Decided)
  | ({ readonly decision: 'deny'; readonly message: string; readonly interrupt: boolean } & Decided)
  | { readonly decision: 'closed' };

/** Judges one call by the policy and, where that ends in a question, by its answer. Silence is never consent. */
export async function permitCall(gate: PermissionGate, call: CallToPermit): Promise<Permit> {
  if (call.openCallbackId !== undefined) return await askAgain(gate, call, call.openCallbackId);
  const decision = await decide(gate, call);
  const hooked = mayHooksAnswer(decision) ? await gate.askHooks?.(call, decision) : undefined;
  if (hooked !== undefined) return await answeredByHooks(gate, call, decision, hooked);
  if (decision.decision === 'ask') return await askPerson(gate, call, decision, gate.newId());
  return permitOf(gate, call, decision);
}

/** What would be asked, of a person who is there or is not. `dontAsk` asks nobody. */
function mayHooksAnswer({ decision, reasonType }: PermissionDecision): boolean {
  return decision === 'ask' || (decision === 'deny' && reasonType === 'unattended');
}

async function answeredByHooks(
  gate: PermissionGate,
  call: CallToPermit,
  asked: Judged,
  hooked: HookedAnswer,
): Promise<Permit> {
  if (hooked.type === 'closed') return { decision: 'closed' };
  const { answer, by } = hooked;
  const permit =
    answer.type === 'deny'
      ? deniedByAnswer(gate, call, answer, by)
      : await allowedByAnswer(gate, call, answer, { by, asked });
  if (permit.decision === 'closed' || permit.reasonType !== 'callback') return permit;
  return {
    ...permit,
    reasonType: 'hook',
    ...(answer.type === 'deny' && { reason: answer.message ?? 'denied by a hook' }),
  };
}

/** What was decided, where the call's paths led when it was, and whether its command is to run in the sandbox. */
export type Judged = PermissionDecision & {
  readonly places: ReadonlySet<string>;
  readonly sandboxed?: boolean;
  readonly readsOnly?: true;
};

function decide(gate: PermissionGate, call: CallToPermit, answered = false): Promise<Judged> {
  return (gate.judge ?? judgeByPolicy)(gate, call, answered);
}

/** What the gate's policy says of a call, and the classifier where the policy's mode asks it. */
export async function judgeByPolicy(
  gate: PermissionGate,
  { tool, input, hookAsk, hookAllow }: CallToPermit,
  answered: boolean,
): Promise<Judged> {
  const refreshed = gate.refreshPolicy?.();
  if (refreshed !== undefined) await refreshed;
  const { unattended, foldCase, resolvePath } = gate;
  const policy = gate.policy();
  const judged = { tool, input, policy, resolvePath, unattended, answered, foldCase, hookAsk, hookAllow };
  const decision = await judgeCall(judged);
  if (decision.classify !== true) return decision;
  const { reason } = decision;
  const noClassifier = { decision: 'ask', reason: `${reason}, and there is no classifier` } as const;
  const verdict = gate.classify === undefined ? noClassifier : await gate.classify(input, reason);
  // Others may have changed the policy while the classifier thought.
  return await judgeCall({ ...judged, policy: gate.policy(), verdict });
}

/** A question that is already open keeps its ID; whether it would still be asked today does not matter. */
async function askAgain(gate: PermissionGate, call: CallToPermit, callbackId: string): Promise<Permit> {
  const decision = await decide(gate, call);
  return await askPerson(gate, call, decision, callbackId);
}

async function askPerson(
  gate: PermissionGate,
  call: CallToPermit,
  decision: Judged,
  callbackId: string,
): Promise<Permit> {
  const outcome = await gate.ask(questionOf(gate, call, decision, callbackId));
  if (outcome.type === 'closed') return { decision: 'closed' };
  if (outcome.answer.type === 'deny') return deniedByAnswer(gate, call, outcome.answer, outcome.by);
  return await allowedByAnswer(gate, call, outcome.answer, { by: outcome.by, asked: decision });
}

function deniedByAnswer(gate: PermissionGate, call: CallToPermit, answer: DenyAnswer, by: string): Permit {
  return {
    decision: 'deny',
    message: answer.message ?? `The user did not allow this call of ${call.tool.name}.`,
    interrupt: answer.interrupt ?? false,
    ...decided(gate, call.tool, call.input),
    reasonType: 'callback',
    source: by,
  };
}

/**
 * The deny rules are passed again, since others may hold by now. Arguments that the answer rewrote are checked; the
 * answer counts for exactly them, those that it did not rewrite lead where they led when the person was asked.
 */
async function allowedByAnswer(
  gate: PermissionGate,
  call: CallToPermit,
  answer: AllowAnswer,
  { by, asked }: { readonly by: string; readonly asked: Judged },
): Promise<Permit> {
  const { updatedInput = call.input } = answer;
  const isRewritten = canonicalJson(updatedInput) !== canonicalJson(call.input);
  const validated: ValidatedInput = isRewritten ? call.tool.validate(updatedInput) : { ok: true, input: call.input };
  if (!validated.ok) {
    const problems = validated.problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
    const message = `The arguments that the answer put in place do not fit ${call.tool.name}: ${problems}`;
    return {
      decision: 'deny',
      message,
      interrupt: false,
      ...decided(gate, call.tool, call.input),
      reasonType: 'input',
      source: by,
    };
  }
  const again = await decide(gate, { ...call, input: validated.input }, true);
  if (again.decision === 'deny') return permitOf(gate, { ...call, input: validated.input }, again);
  return {
    decision: 'allow',
    input: validated.input,
    places: isRewritten ? again.places : asked.places,
    ...commandFacts(again),
    ...decided(gate, call.tool, validated.input),
    reasonType: 'callback',
    source: by,
  };
}

function permitOf(gate: PermissionGate, call: CallToPermit, decision: Judged): Permit {
  const facts = {
    ...decided(gate, call.tool, call.input),
    reasonType: decision.reasonType,
    reason: decision.reason,
    ...(decision.rule === undefined ? {} : { rule: decision.rule }),
    ...(decision.source === undefined ? {} : { source: decision.source }),
  };
  if (decision.decision === 'allow') {
    return { decision: 'allow', input: call.input, places: decision.places, ...commandFacts(decision), ...facts };
  }
  const message = `This call of ${call.tool.name} was denied: ${decision.reason}`;
  return { decision: 'deny', message, interrupt: false, ...facts };
}

function commandFacts({ sandboxed, readsOnly }: Judged): Pick<Judged, 'sandboxed' | 'readsOnly'> {
  return { ...(sandboxed === undefined ? {} : { sandboxed }), ...(readsOnly === true && { readsOnly }) };
}

function decided(gate: PermissionGate, tool: Tool, input: JsonObject) {
  return { policyHash: policyHash(gate.policy(), gate.sha256), inputHash: inputHash(gate, tool, input) };
}

/** Names a call's arguments: a decision or an answer counts for exactly these. */
export function inputHash(gate: Pick<PermissionGate, 'sha256'>, tool: Tool, input: JsonObject): string {
  return gate.sha256(`${tool.name}\n${canonicalJson(input)}`);
}

function questionOf(gate: PermissionGate, call: CallToPermit, decision: PermissionDecision, id: string): OpenApproval {
  const { tool, input } = call;
  const byHook = decision.reasonType === 'hook';
  return {
    type: 'approval',
    id,
    sessionId: gate.sessionId,
    turnId: gate.turnId,
    title: titleOf(tool, input),
    openedAt: isoTime(gate.clock.now()),
    request: {
      callId: call.callId,
      toolCallId: call.toolCallId,
      tool: {
        name: tool.name,
        ...(tool.title === undefined ? {} : { title: tool.title }),
        ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
        ...(tool.source === undefined ? {} : { source: tool.source }),
      },
      input,
      inputHash: inputHash(gate, tool, input),
      source: byHook ? 'hook' : 'policy',
      reason: decision.reason,
      reasonType: decision.reasonType,
      ...(tool.requiresPerson === true ? { requiresPerson: true } : {}),
      // What a hook asks about is asked about every time: nothing is allowed for the session.
      ...(byHook ? {} : { sessionRule: sessionRuleFor(tool, input, gate.policy().directories[0]) }),
      ...(decision.suggestions === undefined ? {} : { suggestions: [...decision.suggestions] }),
      ...(decision.blockedPath === undefined ? {} : { blockedPath: decision.blockedPath }),
    },
  };
}

function titleOf(tool: Tool, input: JsonObject): string {
  const { command, writes, reads, urls } = tool.access(input);
  const object = command ?? writes?.[0] ?? reads?.[0] ?? urls?.[0];
  const name = tool.title ?? tool.name;
  return object === undefined ? name : `${name}: ${object}`;
}
