import { judgeByPolicy, type Judge, type Judged } from '../permission/permission-gate.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';
import type { LaneState } from './lane-state.ts';
import type { RecordedCall } from './recorded-calls.ts';
import type { ReplayGates } from './replay-gates.ts';
import type { Verdict } from './replay-report.ts';

export interface JudgeTodayOptions {
  readonly lane: LaneState;
  readonly gates: ReplayGates;
  readonly policyToday: (binding: Binding) => Policy;
}

/** What today's policy says of a call that the log decides, where it is asked; in behavioural mode told where it differs. */
export async function judgeToday(
  { lane, gates, policyToday }: JudgeTodayOptions,
  call: RecordedCall,
  ...[gate, toPermit, answered]: Parameters<Judge>
): Promise<Judged | undefined> {
  const then = verdictOf(call);
  if (then === undefined) return undefined;
  const { bound, findings } = lane;
  if (!answered) findings.counts.decisions += 1;
  const isAsked = findings.mode === 'behavioural' || findings.runsTools;
  if (!isAsked || bound === undefined) return undefined;
  const unattended = bound.unattended === 'deny' && bound.asker === undefined;
  const policy = (): Policy => policyToday(bound);
  const todays = { ...gate, policy, unattended, judge: undefined };
  const today = await gates.working(judgeByPolicy(todays, toPermit, answered));
  if (findings.mode === 'behavioural' && !answered && then.decision !== today.decision) {
    const { seq = 0 } = call.opened ?? call.decided ?? {};
    const { sessionId, turnId } = gate;
    const { callId, name: tool } = call;
    findings.changes.push({ seq, sessionId, turnId, callId, tool, recorded: then, today: verdict(today) });
  }
  return today;
}

function verdictOf({ opened, decided }: RecordedCall): Verdict | undefined {
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
