import { hookOutcomes, hookResults, outcomeColumns, type HookOutcome, type OutcomeColumn } from './hook-outcomes.ts';

/** The table of outcomes as `docs/guides/hooks.md` prints it. */
export function describeHookOutcomes(): string {
  const columns = Object.keys(outcomeColumns) as OutcomeColumn[];
  const head = columns.map((column) => outcomeColumns[column]);
  const cells = ({ results }: HookOutcome<string>) => columns.map((column) => results[column]);
  return [
    ...markdownTable(['a command', 'its standard output', ...head], commandRows(cells)),
    '',
    ...markdownTable(
      ['a callback', ...head],
      hookOutcomes.callback.map((outcome) => [outcome.ending, ...cells(outcome)]),
    ),
    '',
    ...markdownTable(['result', 'what it does'], Object.entries(hookResults)),
  ].join('\n');
}

/** Endings that come to the same, whatever was written, in one row; and outputs that come to the same. */
function commandRows(cells: (outcome: HookOutcome<string>) => readonly string[]): readonly (readonly string[])[] {
  const ofEnding = Map.groupBy(hookOutcomes.command, ({ ending }) => ending);
  const alike = Map.groupBy(ofEnding.values(), (outcomes) =>
    outcomes.map((outcome) => cells(outcome).join()).join(';'),
  );
  return [...alike.values()].flatMap((endings) => {
    const [outcomes = []] = endings;
    const names = endings.flatMap(([first]) => first?.ending ?? []).join(', ');
    const rows = [...Map.groupBy(outcomes, (outcome) => cells(outcome).join()).values()];
    const most = Math.max(...rows.map((row) => row.length));
    return rows
      .toSorted((one, other) => Number(isRest(one, most)) - Number(isRest(other, most)))
      .map((row) => [names, labelOf(row, outcomes, most), ...row.slice(0, 1).flatMap(cells)]);
  });
}

type Row = readonly HookOutcome<string>[];

/** So many that they are better told as what is left. */
function isRest(row: Row, most: number): boolean {
  return row.length === most && most > 4;
}

function labelOf(row: Row, all: Row, most: number): string {
  if (row.length === all.length) return 'whatever it is';
  return isRest(row, most) ? 'anything else' : row.map(({ output }) => output).join('; ');
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
