import {
  type HistoryRound,
  type HomeOptions,
  type HomeRound,
  sessionCount,
  type SessionsRound,
} from '../measure/measure-programs.ts';
import { type Budget, type Row, rowOfPairs, type Unit } from './row.ts';
import { median } from './statistics.ts';

const kilobyte = 1_024;

/** The rows of many sessions in one process: what each one costs. */
export function sessionsRows(rounds: readonly SessionsRound[]): Row[] {
  return (['memory', 'files'] as const).flatMap((store) => {
    const name = `1,000 sessions at once, ${store === 'memory' ? 'in memory' : 'in files'}`;
    const wall = rounds.map((round) => ({
      floor: round.floor.wallMs / sessionCount,
      ours: round[store].wallMs / sessionCount,
    }));
    const heap = rounds.map((round) => ({
      floor: round.floor.heapBytes / kilobyte,
      ours: round[store].heapBytes / kilobyte,
    }));
    return [
      rowOfPairs(`${name}: wall a session`, 'ms', wall, { of: 'ratio', atMost: 2 }),
      rowOfPairs(`${name}: heap a session`, 'KB', heap, { of: 'figure', atMost: 50 }),
    ];
  });
}

/** What a step costs as a session grows. The floor serialises everything again, so its step grows with the history. */
export function historyRows(rounds: readonly HistoryRound[]): Row[] {
  return (['early', 'late'] as const).map((place) =>
    rowOfPairs(
      `CPU a step at ${place === 'early' ? '100' : '1,000'} entries`,
      'ms',
      rounds.map(({ floor, ours }) => ({ floor: floor[place], ours: ours[place] })),
    ),
  );
}

/** What a home costs to read that has seen much. There is no floor for it. */
export function homeRows(rounds: readonly HomeRound[], made: Pick<HomeOptions, 'sessions' | 'megabytes'>): Row[] {
  const row = (name: string, unit: Unit, values: readonly number[], atMost?: number): Row[] => {
    const budget: Budget | undefined = atMost === undefined ? undefined : { of: 'figure', atMost };
    return values.length === 0 ? [] : [{ name, unit, ours: median(values), ...(budget && { budget }) }];
  };
  const sessions = `first page of ${made.sessions.toLocaleString('en')} sessions`;
  const resume = `resume of a ${made.megabytes.toLocaleString('en')} MB session`;
  const list = (name: string, of: 'list' | 'firstList', atMost?: number): Row[] =>
    row(
      name,
      'ms',
      rounds.map((round) => round[of]),
      atMost,
    );
  const resumed = (name: string, of: 'resume' | 'bareResume', atMost?: number): Row[] => [
    ...row(
      name,
      'ms',
      rounds.map((round) => round[of].ms),
      atMost,
    ),
    ...row(
      `${name}: peak memory`,
      'MB',
      rounds.flatMap((round) => round[of].peakBytes ?? []).map((bytes) => bytes / 1_048_576),
      300,
    ),
  ];
  return [
    ...list(sessions, 'list', 300),
    ...list(`${sessions}, without an index`, 'firstList'),
    rowOfPairs(
      `${sessions}, the whole command`,
      'ms',
      rounds.map((round) => ({ floor: round.byHand, ours: round.command })),
    ),
    ...resumed(resume, 'resume', 2_000),
    ...resumed(`${resume}, without its snapshot`, 'bareResume'),
  ];
}
