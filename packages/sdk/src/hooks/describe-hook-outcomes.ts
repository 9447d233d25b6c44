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

/** Outputs that come to the same, one row. */
function commandRows(cells: (outcome: HookOutcome<string>) => readonly string[]): readonly (readonly string[])[] {
  const groups = new Map<string, { ending: string; outputs: string[]; cells: readonly string[] }>();
  const perEnding = new Map<string, number>();
  for (const outcome of hookOutcomes.command) {
    const { ending, output = '' } = outcome;
    const key = [ending, ...cells(outcome)].join('|');
    const group = groups.get(key) ?? { ending, outputs: [], cells: cells(outcome) };
    group.outputs.push(output);
    groups.set(key, group);
    perEnding.set(ending, (perEnding.get(ending) ?? 0) + 1);
  }
  return [...groups.values()].map(({ ending, outputs, cells: row }) => [
    ending,
    outputs.length === perEnding.get(ending) ? 'whatever it is' : outputs.join('; '),
    ...row,
  ]);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
