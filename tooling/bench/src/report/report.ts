import { cpus } from 'node:os';
import type { Row } from './row.ts';

/** What the figures were taken on. Nothing that names a machine. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
}

export interface Report {
  readonly machine: Machine;
  readonly runs: number;
  readonly rows: readonly Row[];
}

export function describeMachine(): Machine {
  const cores = cpus();
  return {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
  };
}
