import type { Binding } from '../turn/binding.ts';
import type { JudgedOutput, OutputCheck } from '../turn/output-check.ts';
import type { RecordedEvents } from './recorded-events.ts';

/** Judges answers as they were judged then, in a turn whose log says that they were. */
export function recordedOutputCheck(recorded: RecordedEvents): Pick<Binding, 'outputCheck'> {
  const isJudged = [...recorded.ahead()].some(
    (event) =>
      (event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.kind === 'output_feedback') ||
      (event.type === 'turn.ended' &&
        ((event.record.type === 'completed' && event.record.validOutput === true) ||
          (event.record.type === 'failed' && event.record.error.code?.startsWith('output.') === true))),
  );
  if (!isJudged) return {};
  let attempts = Number.POSITIVE_INFINITY;
  const outputCheck: OutputCheck = {
    get mostAnswers() {
      return attempts;
    },
    judge(text) {
      attempts = Number.POSITIVE_INFINITY;
      const judged = judgedAhead(recorded, text);
      if (!judged.fits && judged.attempts !== undefined) ({ attempts } = judged);
      return judged;
    },
  };
  return { outputCheck };
}

type Refused = Extract<JudgedOutput, { fits: false }>;
type Recorded = Exclude<JudgedOutput, Refused> | (Refused & { readonly attempts?: number });

function judgedAhead(recorded: RecordedEvents, text: string): Recorded {
  for (const event of recorded.ahead()) {
    // A hook that kept the turn from its end, or was asked whether it may: the answer had been taken.
    if (event.type === 'hook.started' || event.type === 'model.requested') break;
    if (event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.kind === 'output_feedback') {
      const [said] = event.entry.content;
      return { fits: false, problem: '', feedback: said?.type === 'text' ? said.text : '' };
    }
    if (event.type !== 'turn.ended') continue;
    const { record } = event;
    if (record.type === 'completed') return { fits: true, text: record.text };
    if (record.type !== 'failed') break;
    const { attempts, problem } = (record.error.data ?? {}) as {
      readonly attempts?: number;
      readonly problem?: string;
    };
    return { fits: false, problem: problem ?? '', feedback: '', ...(attempts === undefined ? {} : { attempts }) };
  }
  return { fits: true, text };
}
