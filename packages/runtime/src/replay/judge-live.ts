import { judgeByPolicy, type Judge, type Judged } from '../permission/permission-gate.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';
import { verdictThen } from './judge-call-today.ts';
import type { LaneState } from './lane-state.ts';
import type { RecordedCall } from './recorded-calls.ts';
import type { ReplayGates } from './replay-gates.ts';

export interface JudgeLiveOptions {
  readonly lane: LaneState;
  readonly gates: ReplayGates;
  readonly policyToday: (binding: Binding) => Policy;
}

/** Where the paths of a call that really runs lead today, as its tool has to know. Undefined where none runs. */
export async function judgeLive(
  { lane, gates, policyToday }: JudgeLiveOptions,
  call: RecordedCall,
  ...[gate, toPermit, answered]: Parameters<Judge>
): Promise<Judged | undefined> {
  if (verdictThen(call) === undefined) return undefined;
  const { bound, findings } = lane;
  if (!answered) findings.counts.decisions += 1;
  if (!findings.runsTools || bound === undefined) return undefined;
  const unattended = bound.unattended === 'deny' && bound.asker === undefined;
  const todays = { ...gate, policy: () => policyToday(bound), unattended, judge: undefined };
  return await gates.working(judgeByPolicy(todays, toPermit, answered));
}
