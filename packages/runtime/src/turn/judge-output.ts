import type { MessageEntry } from '@rondo/protocol';
import { answerText } from './agent-turn-hooks.ts';
import type { TurnOutcome } from './end-turn.ts';
import type { OutputCheck } from './output-check.ts';
import type { TurnParts } from './turn-parts.ts';

/** The kind of the message that tells the model why its answer was not taken. */
const OUTPUT_FEEDBACK = 'output_feedback';

type Completed = Extract<TurnOutcome, { type: 'completed' }>;

/**
 * Holds the turn's answer to what its output is to be: `again` when the model has been told what is wrong with it. How
 * many answers there were is read from the conversation, so that it is the same behind a crash, and begins anew with
 * each turn.
 */
export async function judgeOutput(turn: TurnParts, completed: Completed): Promise<'again' | TurnOutcome> {
  const { outputCheck } = turn.binding;
  if (outputCheck === undefined) return completed;
  // The reply may be held back for the next batch, and is what is judged.
  turn.emit([]);
  const judged = outputCheck.judge(await answerText(turn), completed.stopReason);
  if (judged.fits) return { ...completed, text: judged.text, validOutput: true };
  const answers = refusedAnswers(turn) + 1;
  if (answers >= outputCheck.mostAnswers) return exhausted(outputCheck, judged.problem, answers);
  const entry: MessageEntry = {
    type: 'message',
    id: turn.newId(),
    role: 'context',
    kind: OUTPUT_FEEDBACK,
    source: 'output',
    content: [{ type: 'text', text: judged.feedback }],
  };
  turn.emit([{ type: 'entry.completed', turnId: turn.turnId, entry }]);
  return 'again';
}

/** What ends without an answer and says so itself: at a limit, or at a call that waits for the next turn. */
const endsWithoutOutput: ReadonlySet<string> = new Set([
  'max_turns',
  'max_budget',
  'tool_deferred',
  'tool_deferred_unavailable',
]);

/** A turn that was to have an output and has none did not complete, whoever ended it. */
export function withoutFalseSuccess({ binding }: TurnParts, outcome: TurnOutcome): TurnOutcome {
  if (binding.outputCheck === undefined || outcome.type !== 'completed') return outcome;
  if (outcome.validOutput === true || endsWithoutOutput.has(outcome.stopReason)) return outcome;
  const { stopReason, terminalReason } = outcome;
  const said = outcome.text === undefined || outcome.text === '' ? '' : `: ${outcome.text}`;
  const message = `the turn ended without the output that was asked for (${stopReason})${said}`;
  return { type: 'failed', terminalReason, error: { message, code: 'output.missing', data: { stopReason } } };
}

/** A hook may have put another answer in the model's place. Nobody is asked for a better one. */
export async function judgeLastWord(turn: TurnParts, outcome: TurnOutcome): Promise<TurnOutcome> {
  const { outputCheck } = turn.binding;
  if (outputCheck === undefined || outcome.type !== 'completed' || outcome.validOutput !== true) return outcome;
  const judged = outputCheck.judge(await answerText(turn), outcome.stopReason);
  if (judged.fits) return { ...outcome, text: judged.text };
  const message = `a hook put an answer in place that is not the output that was asked for: ${judged.problem}`;
  const error = { message, code: 'output.missing', data: { problem: judged.problem } };
  return { type: 'failed', terminalReason: 'hook_stopped', error };
}

function exhausted({ mostAnswers }: OutputCheck, problem: string, answers: number): TurnOutcome {
  const message = `no answer was the output that was asked for: ${answers} of at most ${mostAnswers} were refused, the last one because ${problem}`;
  const error = { message, code: 'output.retries_exhausted', data: { attempts: answers, problem } };
  return { type: 'failed', terminalReason: 'structured_output_retry_exhausted', error };
}

/** Answers of this turn that were told to be wrong. */
function refusedAnswers({ state }: TurnParts): number {
  const since = state.active?.startSeq ?? 0;
  let answers = 0;
  for (const item of state.conversation)
    if (item.kind === 'message' && item.entry.kind === OUTPUT_FEEDBACK && (item.seq ?? 0) > since) answers += 1;
  return answers;
}
