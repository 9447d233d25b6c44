import {
  decidePermission,
  type Judging,
  type PermissionDecision,
  startJudging,
  stepsOfOrder,
} from './decide-permission.ts';
import { type CommandReport, coverLine } from './cover-line.ts';
import { type JudgeCallOptions, questionOfCall } from './judge-call.ts';
import { acceptsEdits, callKinds, type CallKind, modeVerdict, type ModeVerdict } from './mode-table.ts';
import { type PermissionStep, permissionOrder } from './permission-order.ts';
import { rulesFor } from './judged-call.ts';

/** What one step of the order said, or would have said. */
export interface StepExplanation {
  readonly step: PermissionStep;
  readonly title: string;
  /** Absent: the step says nothing of the call. */
  readonly said?: PermissionDecision;
  /** Of all that speak, this one decided. */
  readonly decides: boolean;
}

export interface CallExplanation {
  readonly decision: PermissionDecision;
  /** In the order in which they are asked; also those behind the one that decided. */
  readonly steps: readonly StepExplanation[];
  /** What the modes take the call for, in words, and what this mode does with such calls. */
  readonly kind: CallKind;
  readonly kindText: string;
  readonly modeVerdict: ModeVerdict;
  /** Of a shell line, which rule covers each command. */
  readonly commands?: readonly CommandReport[];
  /** Whether its command would run in the sandbox. Absent where the policy has none. */
  readonly sandboxed?: boolean;
}

/** The whole way of a call through the order, by the code that decides it. */
export async function explainCall(options: JudgeCallOptions): Promise<CallExplanation> {
  const asked = await questionOfCall(options);
  if ('decision' in asked) {
    const steps = [{ step: asked.step, title: titleOf(asked.step), said: asked, decides: true }];
    return {
      decision: asked,
      steps,
      kind: 'other',
      kindText: callKinds.other,
      modeVerdict: modeVerdict(options.policy, 'other'),
    };
  }
  const judging = startJudging(asked.question);
  const decision = decidePermission(asked.question);
  let isDecided = false;
  const steps = stepsOfOrder.map(({ name, decide }): StepExplanation => {
    const said = decide(judging);
    const decides = !isDecided && said !== undefined;
    if (decides) isDecided = true;
    return { step: name, title: titleOf(name), ...(said === undefined ? {} : { said }), decides };
  });
  const commands = commandsOf(judging);
  return {
    decision,
    steps: steps.filter(({ step, said }) => said !== undefined || step !== 'question'),
    kind: judging.kind,
    kindText: callKinds[judging.kind],
    modeVerdict: modeVerdict(options.policy, judging.kind),
    ...(commands === undefined ? {} : { commands }),
    ...(options.policy.sandbox === undefined ? {} : { sandboxed: asked.sandboxed }),
  };
}

/** Also where a rule for the whole tool made looking at each command needless. */
function commandsOf({ call, commands }: Judging): readonly CommandReport[] | undefined {
  if (commands !== undefined || call.shell === undefined) return commands;
  const rules = rulesFor(call.policy, call.tool).filter(
    ({ rule }) => rule.behavior === 'allow' && rule.content !== undefined,
  );
  return coverLine(rules, call, { edits: acceptsEdits(call.policy) }).commands;
}

function titleOf(step: PermissionStep): string {
  return permissionOrder.find(({ name }) => name === step)?.title ?? step;
}
