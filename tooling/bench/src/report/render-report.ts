import type { Report } from './report.ts';
import { isWithinBudget, type Row, type Unit } from './row.ts';

export interface RenderOptions {
  readonly baseline: Report | undefined;
  /** False where there were too few runs to judge by. */
  readonly verdict: boolean;
}

const columns = ['what', 'floor', 'rondo', 'ratio', 'middle half', 'budget', '', 'baseline'];

/** The report as a Markdown table. The last column tells what the committed baseline had, and how far this run is from it. */
export function renderReport({ machine, runs, rows }: Report, { baseline, verdict }: RenderOptions): string {
  const known = new Map(baseline?.rows.map((row) => [row.name, row]));
  const lines = rows.map((row) => [
    row.name,
    row.floor === undefined ? '' : measured(row.floor, row.unit),
    measured(row.ours, row.unit),
    row.ratio?.toFixed(2) ?? '',
    row.spread?.map((ratio) => ratio.toFixed(2)).join('–') ?? '',
    budgetOf(row),
    verdict ? mark(row) : '',
    drift(row, known.get(row.name)),
  ]);
  const facts = `Node ${machine.node}, ${machine.platform}, ${machine.cores} × ${machine.cpu}; medians of ${runs} ${runs === 1 ? 'run' : 'runs'}.`;
  return [facts, '', line(columns), line(columns.map(() => '---')), ...lines.map(line), ''].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function measured(value: number, unit: Unit): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

function budgetOf({ budget, unit }: Row): string {
  if (budget === undefined) return '';
  return budget.of === 'ratio' ? `≤ ${budget.atMost} ×` : `≤ ${budget.atMost} ${unit}`;
}

function mark(row: Row): string {
  const within = isWithinBudget(row);
  return within === undefined ? '' : within ? 'ok' : '**over**';
}

/** Ratios travel between machines and times do not, so a ratio is compared where there is one. */
function drift(row: Row, before: Row | undefined): string {
  if (before === undefined) return 'new';
  const judgesRatio = row.budget?.of !== 'figure' && row.ratio !== undefined && before.ratio !== undefined;
  const now = judgesRatio ? row.ratio : row.ours;
  const then = judgesRatio ? before.ratio : before.ours;
  if (now === undefined || then === undefined) return 'new';
  const change = Math.round((now / then - 1) * 100);
  return `${judgesRatio ? then.toFixed(2) : measured(then, row.unit)} (${change < 0 ? '−' : '+'}${Math.abs(change)} %)`;
}
