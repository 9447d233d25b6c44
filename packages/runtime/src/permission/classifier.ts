import type { JsonValue, TokenUsage } from '@rondo/protocol';
import type { Clock } from '../event/clock.ts';

/** A call as the classifier is shown it: nothing of what tools have answered, no known secret, and bounded. */
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

/** What the classifier's requests about one call have come to so far, failed ones included. */
export interface ClassifierUsage {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly costUsd?: number;
}

export interface ClassifierOptions {
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Tries after the first that may be made. */
  readonly maxRetries: number;
  /** The turn has a budget: a model whose price is not known must not be asked. */
  readonly needsPrice: boolean;
  /** Told the sum as soon as it is known, also before the end and where there is none. The last one counts. */
  readonly onUsage: (usage: ClassifierUsage) => void;
}

/**
 * Judges a call in a person's place, in the mode `auto`. Whatever it gives but a verdict, throwing and running out of time
 * included, counts as `ask`.
 */
export type Classifier = (call: ClassifierCall, options: ClassifierOptions) => Promise<ClassifierVerdict>;

const longestInput = 8000;
const leftOut = '[… characters left out:';
const longestReason = 500;

/** The input as the classifier gets it. Secrets are taken out of it whole, before it is cut. */
export function classifiedInput(input: JsonValue, redact: (json: string) => string): string {
  const text = redact(JSON.stringify(input) ?? 'null');
  if (text.length <= longestInput) return text;
  const half = longestInput / 2;
  return `${text.slice(0, half)}${leftOut} ${text.length - longestInput} …]${text.slice(-half)}`;
}

const answerWithinMs = 30_000;

/** Asks the classifier, and takes nothing but a verdict for one. Never rejects. */
export async function askClassifier(
  classifier: Classifier,
  call: ClassifierCall,
  options: ClassifierOptions,
): Promise<ClassifierVerdict> {
  const answered = new AbortController();
  const signal = AbortSignal.any([options.signal, answered.signal]);
  const late = options.clock.sleep(answerWithinMs, { signal }).then(
    () => ({ decision: 'ask', reason: `the classifier gave no verdict within ${answerWithinMs / 1000} s` }) as const,
    () => ({ decision: 'ask', reason: 'the classifier gave no verdict before the turn ended' }) as const,
  );
  try {
    const verdict = Promise.resolve(classifier(call, { ...options, signal })).then(checkedVerdict, unanswered);
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
