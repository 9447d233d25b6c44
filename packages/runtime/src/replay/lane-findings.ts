import type { DecisionChange, Divergence, HookChange } from './replay-report.ts';

export interface ReplayCounts {
  compared: number;
  turns: number;
  requests: number;
  decisions: number;
  liveCalls: number;
  hookRuns: number;
}

/** What the replay of a log finds, in all its sessions. */
export interface ReplayFindings {
  readonly mode: 'strict' | 'behavioural';
  readonly runsTools: boolean;
  readonly counts: ReplayCounts;
  readonly changes: DecisionChange[];
  readonly hookChanges: HookChange[];
  readonly divergences: Divergence[];
  note(text: string): void;
  readonly notes: ReadonlySet<string>;
}

/** The same for one of its sessions, whose replay ends where it goes another way. */
export interface LaneFindings extends ReplayFindings {
  diverge(divergence: Divergence): void;
  divergence(): Divergence | undefined;
}

export function createReplayFindings(options: Pick<ReplayFindings, 'mode' | 'runsTools'>): ReplayFindings {
  const notes = new Set<string>();
  return {
    ...options,
    counts: { compared: 0, turns: 0, requests: 0, decisions: 0, liveCalls: 0, hookRuns: 0 },
    changes: [],
    hookChanges: [],
    divergences: [],
    notes,
    note: (text) => void notes.add(text),
  };
}

export function laneFindings(findings: ReplayFindings): LaneFindings {
  let own: Divergence | undefined;
  return {
    ...findings,
    diverge(divergence) {
      if (own !== undefined) return;
      own = divergence;
      findings.divergences.push(divergence);
    },
    divergence: () => own,
  };
}
