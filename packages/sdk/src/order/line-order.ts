import type { SDKMessage } from '@rondo/protocol';
import { callRules, replyRules } from './call-rules.ts';
import { interruptRules } from './interrupt-rules.ts';
import { kindOf, type LineFault, type LineRules, type OrderOptions } from './line-fault.ts';
import { streamRules } from './stream-rules.ts';
import { lifecycleRules, stateRules, turnRules } from './turn-rules.ts';

export type { LineFault, OrderOptions } from './line-fault.ts';

const rules: readonly LineRules[] = [
  turnRules,
  stateRules,
  lifecycleRules,
  callRules,
  replyRules,
  streamRules,
  interruptRules,
];

/**
 * The rules of the order of lines that a list of them breaks, those of one session from a query's beginning on; none for a
 * list that is in order. Needs no test runner, and reads lines of any origin.
 */
export function lineFaults(lines: readonly SDKMessage[], options: OrderOptions = {}): LineFault[] {
  const faults: LineFault[] = [];
  for (const check of rules) check(lines, (rule, index, why) => faults.push({ rule, index, why }), options);
  return faults;
}

/** @throws Error that names each broken rule, and shows the lines around it. */
export function assertLineOrder(lines: readonly SDKMessage[], options?: OrderOptions): void {
  const faults = lineFaults(lines, options);
  if (faults.length === 0) return;
  const told = faults.map(({ rule, index, why }) => `${rule} at line ${index}: ${why}\n${around(lines, index)}`);
  throw new Error(`lines out of order\n${told.join('\n')}`);
}

function around(lines: readonly SDKMessage[], index: number): string {
  const from = Math.max(0, index - 4);
  return lines
    .slice(from, index + 3)
    .map((line, offset) => `  ${from + offset === index ? '>' : ' '} ${from + offset} ${kindOf(line)}`)
    .join('\n');
}
