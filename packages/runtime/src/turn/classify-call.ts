import type { JsonObject } from '@rondo/protocol';
import { redactJson } from '../event/redact-json.ts';
import { redactText, secretValues } from '../event/text-redactor.ts';
import { defaultRetryPolicy } from '../model/retry-policy.ts';
import {
  askClassifier,
  classifiedInput,
  type Classifier,
  type ClassifierUsage,
  type ClassifierVerdict,
} from '../permission/classifier.ts';
import { inputHash, type PermissionGate } from '../permission/permission-gate.ts';
import { callFields } from './planned-call.ts';
import type { ReadyCall } from './ready-call.ts';
import type { TurnParts } from './turn-parts.ts';

/**
 * The turn's classifier, for one call. What it says is in the log at once, with what it was paid for; a verdict on these
 * very arguments that is there already, from before a crash, is not asked for again.
 */
export function classifierOf(turn: TurnParts, ready: ReadyCall): PermissionGate['classify'] {
  const { classifier } = turn.binding;
  if (classifier === undefined) return undefined;
  return async (input, why) => {
    const hash = inputHash(turn, ready.tool, input);
    const known = turn.state.active?.calls.get(ready.call.callId)?.verdict;
    if (known?.inputHash === hash) return { decision: known.decision, reason: known.reason };
    // Whoever takes over after a crash finds the reply and its calls, which are paid for as well.
    turn.emit([]);
    const startedAt = turn.clock.now();
    let used: ClassifierUsage | undefined;
    const verdict = await ask(turn, classifier, { ready, input, why, onUsage: (usage) => void (used = usage) });
    turn.emit([
      {
        type: 'tool.classified',
        ...callFields(turn, ready.call),
        ...verdict,
        inputHash: hash,
        ...used,
        durationMs: turn.clock.now() - startedAt,
      },
    ]);
    return verdict;
  };
}

interface Asking {
  readonly ready: ReadyCall;
  readonly input: JsonObject;
  readonly why: string;
  readonly onUsage: (usage: ClassifierUsage) => void;
}

async function ask(
  turn: TurnParts,
  classifier: Classifier,
  { ready, input, why, onUsage }: Asking,
): Promise<ClassifierVerdict> {
  const { binding, clock, signal } = turn;
  const { maxBudgetUsd } = turn.state.active?.limits ?? {};
  const spent = turn.state.active?.costUsd ?? 0;
  if ((maxBudgetUsd !== undefined && spent >= maxBudgetUsd) || turn.isSpentAbove?.(0) === true) {
    return { decision: 'ask', reason: 'the budget of the turn leaves nothing for the classifier' };
  }
  const secrets = secretValues([...(binding.secrets ?? []), ...(binding.model.secrets ?? [])]);
  const { name, description } = ready.tool;
  const [cwd = '/'] = turn.policy().directories;
  const call = {
    tool: name,
    description: redactText(description, secrets),
    input: classifiedInput(input, (json) => redactJson(json, secrets)),
    cwd: redactText(cwd, secrets),
    reason: redactText(why, secrets),
  };
  const { maxRetries } = { ...defaultRetryPolicy, ...binding.retry };
  return await askClassifier(classifier, call, {
    signal,
    clock,
    maxRetries,
    needsPrice: maxBudgetUsd !== undefined,
    onUsage,
  });
}
