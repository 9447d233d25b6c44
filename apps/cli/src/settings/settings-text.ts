import { type ResolvedSettings, settingsProblemText } from '@rondo/sdk';
import { wrapWords } from '../command/wrap-words.ts';
import type { Paint } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';
import { valueAt } from './value-at.ts';

const marks = { broken: 'broken', error: 'does not count', warning: 'warning', notice: 'notice' } as const;

/** All settings, for people: what is wrong, then each key with its value and the files that say it. */
export function settingsText(
  resolved: ResolvedSettings,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  const { problems, ruleProblems, hookProblems, origins, effective, untrusted, sources } = resolved;
  const wrapped = (text: string): string[] => wrapWords(printableText(text), width);
  const keys = Object.keys(origins).sort();
  const blocks = [
    [...problems, ...ruleProblems, ...hookProblems].flatMap((problem) => [
      ...wrapped(`${marks[problem.severity]}: ${settingsProblemText(problem)}`),
    ]),
    ...keys.map((key) => [
      paint('bold', printableText(key)),
      ...indented(JSON.stringify(valueAt(effective, key), null, 2)),
      ...(origins[key] ?? []).map((file) => paint('dim', `  ${printableText(file)}`)),
    ]),
    untrusted.flatMap(({ path, keys: left }) =>
      wrapped(`${path} is not trusted: until it is, ${left.join(', ')} of it do not count (rondo trust).`),
    ),
    sources.length === 0 ? ['No settings file is there.'] : [],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** One value, for people and pipes: a text as it is, anything else as JSON; then the files that say it. */
export function settingText(value: unknown, from: readonly string[]): string {
  const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return `${[printableText(shown), ...from.map((file) => `  ${printableText(file)}`)].join('\n')}\n`;
}

function indented(text: string): string[] {
  return printableText(text)
    .split('\n')
    .map((line) => `  ${line}`);
}
