import type { JsonValue } from '@rondo/protocol';
import type { Clock } from '../event/clock.ts';

/** A call as the classifier is shown it: nothing of what tools have answered, and bounded. */
export interface ClassifierCall {
  readonly tool: string;
  readonly description: string;
  /** Cut where it is long, and said to be. */
  readonly input: string;
  readonly cwd: string;
  /** What kept the call from being allowed without it. */
  readonly reason: string;
}

export interface ClassifierVerdict {
  readonly decision: 'allow' | 'deny' | 'ask';
  /** For people; no sentence's end. */
  readonly reason: string;
}

/**
 * Judges a call in a person's place, in the mode `auto`. Whatever it gives but a verdict, throwing and running out of time
 * included, counts as `ask`.
 */
export type Classifier = (
  call: ClassifierCall,
  options: { readonly signal: AbortSignal },
) => Promise<ClassifierVerdict>;

const longestInput = 8000;
const leftOut = '[… characters left out:';
const longestReason = 500;

/** The input as the classifier gets it. */
export function classifiedInput(input: JsonValue): string {
  const text = JSON.stringify(input) ?? 'null';
  if (text.length <= longestInput) return text;
  const half = longestInput / 2;
  return `${text.slice(0, half)}${leftOut} ${text.length - longestInput} …]${text.slice(-half)}`;
}

const answerWithinMs = 30_000;

/** Asks the classifier, and takes nothing but a verdict for one. Never rejects. */
export async function askClassifier(
  classifier: Classifier,
  call: ClassifierCall,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Pick<Clock, 'sleep'> },
): Promise<ClassifierVerdict> {
  const answered = new AbortController();
  const ending = AbortSignal.any([signal, answered.signal]);
  const late = clock.sleep(answerWithinMs, { signal: ending }).then(
    () => ({ decision: 'ask', reason: `the classifier gave no verdict within ${answerWithinMs / 1000} s` }) as const,
    () => ({ decision: 'ask', reason: 'the classifier gave no verdict before the turn ended' }) as const,
  );
  try {
    const verdict = Promise.resolve(classifier(call, { signal: ending })).then(checkedVerdict, unanswered);
    const first = await Promise.race([verdict, late]);
    // Whoever saw a part of the input cannot know what all of it does.
    const isCut = first.decision === 'allow' && call.input.includes(leftOut);
    return isCut ? { decision: 'ask', reason: 'the input is too long to be judged by the classifier' } : first;
  } catch (error) {
    return unanswered(error);
  } finally {
    answered.abort();
  }
}

function unanswered(error: unknown): ClassifierVerdict {
  const message = error instanceof Error ? error.message : String(error);
  return { decision: 'ask', reason: `the classifier gave no verdict (${message.slice(0, longestReason)})` };
}

function checkedVerdict(verdict: unknown): ClassifierVerdict {
  if (typeof verdict === 'object' && verdict !== null && 'decision' in verdict) {
    const { decision } = verdict;
    const given = 'reason' in verdict && typeof verdict.reason === 'string' ? verdict.reason.trim() : '';
    const reason = given === '' ? 'no reason given' : given.slice(0, longestReason);
    if (decision === 'allow' || decision === 'deny' || decision === 'ask') {
      return { decision, reason: `classifier: ${reason}` };
    }
  }
  return { decision: 'ask', reason: 'the classifier gave no verdict' };
}
