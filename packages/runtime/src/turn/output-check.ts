/** What was made of an answer. */
export type JudgedOutput =
  /** The answer as JSON text, without what stood around it. */
  | { readonly fits: true; readonly text: string }
  /** What is wrong, for people; and what the model is told. */
  | { readonly fits: false; readonly problem: string; readonly feedback: string };

/** Decides whether an answer is the output that was asked for. A turn that has one completes with nothing else. */
export interface OutputCheck {
  /** Answers of one turn, the first one included. */
  readonly mostAnswers: number;
  judge(text: string, stopReason: string): JudgedOutput;
}

/** Answers of one turn where nobody says another number. */
const MOST_ANSWERS = 5;

export interface OutputCheckOptions {
  /** What is wrong with a value that an answer says; empty where nothing is. */
  readonly problemsOf: (value: unknown) => readonly string[];
  readonly mostAnswers?: number;
}

/** Judges answers that are to be JSON, alone or in one fence of code. */
export function createOutputCheck({ problemsOf, mostAnswers = MOST_ANSWERS }: OutputCheckOptions): OutputCheck {
  return {
    mostAnswers,
    judge(answer, stopReason) {
      const text = withoutFence(answer);
      if (text === '') return refused('it is empty');
      const cut = stopReason === 'max_tokens' ? 'it was cut off at the most tokens of a reply, and so ' : '';
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        return refused(`${cut}it is no JSON (${error instanceof Error ? error.message : String(error)})`);
      }
      // Alone of all JSON, a number looks whole wherever it ends.
      if (cut !== '' && typeof value === 'number') return refused(`${cut}digits of its number may be missing`);
      const problems = problemsOf(value);
      return problems.length === 0 ? { fits: true, text } : refused(`it does not fit the schema: ${listed(problems)}`);
    },
  };
}

function refused(problem: string): Extract<ReturnType<OutputCheck['judge']>, { fits: false }> {
  const feedback = `Your answer was not taken: ${problem}. Answer again, with JSON that fits the schema and nothing before or after it.`;
  return { fits: false, problem, feedback };
}

const mostProblems = 10;

function listed(problems: readonly string[]): string {
  const shown = problems.slice(0, mostProblems).join('; ');
  const more = problems.length - mostProblems;
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

/** Models that are asked in words like to dress what they say. */
function withoutFence(answer: string): string {
  const text = answer.trim();
  return /^```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/i.exec(text)?.[1]?.trim() ?? text;
}
