import type { SandboxCost } from '../sandbox/sandbox-cost.ts';
import type { Row } from './row.ts';
import { median } from './statistics.ts';

/** What the sandbox adds to a command, without a proxy. */
export function sandboxRows(costs: readonly SandboxCost[]): Row[] {
  if (costs.length === 0) return [];
  const added = costs.map(({ local, isolated }) => isolated - local);
  return [
    {
      name: 'a shell command in the sandbox: added to the one without',
      unit: 'ms',
      ours: median(added),
      budget: { of: 'figure', atMost: 40 },
    },
  ];
}
