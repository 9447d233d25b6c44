import { type CommandReport, permissionOrder, type StepExplanation } from '@rondo/runtime';
import type { PermissionExplanation } from '@rondo/sdk';
import { wrapWords } from '../command/wrap-words.ts';
import type { Paint } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';

const words = { allow: 'Allowed', deny: 'Denied', ask: 'Asked' } as const;

/** How a call would be judged, for people: the decision, what decides, each command of a shell line, and every step of the order. */
export function explainText(
  { tool, subject, explanation, classifier, policy }: PermissionExplanation,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  const { decision, steps, kindText, modeVerdict, commands, sandboxed } = explanation;
  const isClassified = classifier !== undefined;
  const at = isClassified ? numberOf('instead of the question') : numberOf(steps.find(({ decides }) => decides)?.step);
  const word = isClassified ? 'Left to the classifier' : words[decision.decision];
  const row = (name: string, text: string): string[] =>
    wrapWords(printableText(text), width - 11).map((line, index) => `${(index === 0 ? name : '').padEnd(10)} ${line}`);
  const verdicts = {
    run: 'it runs',
    refuse: 'it is refused',
    ask: 'it is asked about',
    deny: 'it is denied',
    classify: 'the classifier decides',
  };
  const lines = [
    ...row(tool, subject),
    '',
    ...wrapWords(printableText(`${word}${at === 0 ? '' : ` at step ${at}`}: ${decision.reason}.`), width).map((line) =>
      paint('bold', line),
    ),
    '',
    ...(decision.rule === undefined ? [] : row('rule', decision.rule)),
    ...(decision.source === undefined ? [] : row('from', decision.source)),
    ...row('mode', `${policy.mode}, where ${verdicts[modeVerdict]} unless a rule says otherwise (${kindText})`),
    ...(sandboxed === undefined
      ? []
      : row('sandbox', sandboxed ? 'it runs in the sandbox' : 'it runs outside the sandbox')),
    ...row('policy', policy.hash.slice(0, 16)),
    ...(isClassified ? classifierLines(classifier, row) : []),
    ...(commands === undefined || commands.length === 0 ? [] : ['', 'Commands']),
    ...(commands ?? []).flatMap((report) => commandLines(report, { width, depth: 1 })),
    '',
    'Steps',
    ...permissionOrder.flatMap(({ name, title }) => {
      const own = steps.filter(({ step }) => step === name);
      if (own.length === 0) return [];
      const said = own.filter((step) => step.said !== undefined);
      const spoken = said.length === 0 ? [{ text: 'says nothing', decides: false }] : said.map(spokenOf);
      return spoken.flatMap(({ text, decides }) => {
        const whole = wrapWords(printableText(`${numberOf(name)}. ${title}: ${text}${decides ? ' ◄' : ''}`), width - 5);
        return whole.map((line, index) => paint(decides ? 'bold' : 'dim', `${index === 0 ? '  ' : '     '}${line}`));
      });
    }),
  ];
  return `${lines.join('\n')}\n`;
}

/** What it would be asked, word for word but for its fixed instructions. */
function classifierLines(
  { model, question }: NonNullable<PermissionExplanation['classifier']>,
  row: (name: string, text: string) => string[],
): string[] {
  const who = model === undefined ? "the session's own model" : model;
  return [
    ...row('judged by', `${who}; without a verdict it is asked about, and denied where nobody is there`),
    ...question.split('\n').flatMap((line, index) => row(index === 0 ? 'is shown' : '', line)),
  ];
}

/** As the docs number the steps. */
function numberOf(step: string | undefined): number {
  return permissionOrder.findIndex(({ name }) => name === step) + 1;
}

function spokenOf({ said, decides }: StepExplanation): { readonly text: string; readonly decides: boolean } {
  return { text: `${said?.decision ?? ''}: ${said?.reason ?? ''}`, decides };
}

function commandLines(
  report: CommandReport,
  { width, depth }: { readonly width: number; readonly depth: number },
): string[] {
  const indent = '  '.repeat(depth);
  const sign = report.covered ? '✓' : '✗';
  const text = wrapWords(printableText(`${sign} ${report.text}: ${report.why}`), width - indent.length);
  return [
    ...text.map((line, index) => `${indent}${index === 0 ? '' : '  '}${line}`),
    ...(report.runs ?? []).flatMap((run) => commandLines(run, { width, depth: depth + 1 })),
  ];
}
