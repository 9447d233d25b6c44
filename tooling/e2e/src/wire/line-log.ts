import type { SDKMessage } from '@rondo/sdk';
import type { Wanted } from './scenario.ts';

/** The lines of a query as they came, and a way to wait for one. */
export interface LineLog {
  readonly lines: readonly SDKMessage[];
  put(line: SDKMessage): void;
  end(): void;
  /** Resolves once that many lines fit; rejects when there will be no more. */
  seen(wanted: Wanted, times: number): Promise<void>;
}

export function createLineLog(): LineLog {
  const lines: SDKMessage[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const look = (): void => {
    for (const each of waiting) each();
  };
  return {
    lines,
    put(line) {
      lines.push(line);
      look();
    },
    end() {
      isOver = true;
      look();
    },
    seen: (wanted, times) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (lines.filter((line) => fits(wanted, line)).length >= times) resolve();
          else if (isOver) reject(new Error(`the query ended without ${JSON.stringify(wanted)}: ${kindsOf(lines)}`));
          else return;
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** Every member that is wanted is there. A list has to have the same length; an expression tests a text. */
export function fits(wanted: unknown, found: unknown): boolean {
  if (wanted instanceof RegExp) return typeof found === 'string' && wanted.test(found);
  if (typeof wanted !== 'object' || wanted === null) return wanted === found;
  if (typeof found !== 'object' || found === null) return false;
  if (Array.isArray(wanted)) {
    return Array.isArray(found) && found.length === wanted.length && wanted.every((each, at) => fits(each, found[at]));
  }
  return Object.entries(wanted).every(([name, each]) => fits(each, (found as Record<string, unknown>)[name]));
}

function kindsOf(lines: readonly SDKMessage[]): string {
  return lines.map((line) => ('subtype' in line ? `${line.type}/${line.subtype}` : line.type)).join(', ');
}
