import { wrapWords } from '../command/wrap-words.ts';
import type { Paint } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';
import type { Finding, FindingState } from './finding.ts';

const signs: Readonly<Record<FindingState, string>> = { ok: 'ok', notice: 'note', problem: 'PROBLEM' };

/** The findings for people, with the way on for each that has one. */
export function doctorText(
  findings: readonly Finding[],
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  const blocks = findings.map(({ about, state, says, fix }) => {
    const head = `${about.padEnd(9)} ${signs[state].padEnd(8)}`;
    const lines = says.flatMap((line) => wrapWords(printableText(line), width - 19));
    const body = lines.map((line, index) => (index === 0 ? line : `${' '.repeat(19)}${line}`));
    const way =
      fix === undefined
        ? []
        : wrapWords(`→ ${printableText(fix)}`, width - 19).map((line) => `${' '.repeat(19)}${paint('dim', line)}`);
    return [`${state === 'ok' ? head : paint('bold', head)} ${body.join('\n')}`, ...way].join('\n');
  });
  return `${blocks.join('\n')}\n`;
}
