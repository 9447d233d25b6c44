import { expect } from 'vitest';
import type { Expectation, Outcome } from './scenario.ts';
import { fits } from './line-log.ts';

/** What the scenario says of an episode, in process. The other ways are then held to the same outcome. */
export function expectOutcome({ lines, answers, asked, error, files }: Outcome, wanted: Expectation): void {
  const results = lines.filter((line) => line.type === 'result');
  if (wanted.results !== undefined) {
    expect(results).toHaveLength(wanted.results.length);
    for (const [at, result] of wanted.results.entries()) expect(results[at]).toSatisfy((found) => fits(result, found));
  }
  let from = 0;
  for (const line of wanted.lines ?? []) {
    const at = lines.findIndex((found, index) => index >= from && fits(line, found));
    expect({ wanted: line, in: lines.slice(from), at }).not.toMatchObject({ at: -1 });
    from = at + 1;
  }
  for (const kind of wanted.without ?? []) {
    const [type, subtype] = kind.split('/');
    const found = lines.filter((line) => line.type === type && (subtype === undefined || fits({ subtype }, line)));
    expect(found).toEqual([]);
  }
  if (wanted.asked !== undefined) {
    expect(asked.map(([what]) => what)).toEqual(wanted.asked.map(([what]) => what));
    for (const [at, each] of wanted.asked.entries()) {
      expect(asked[at]?.slice(0, each.length)).toSatisfy((found) => fits(each, found));
    }
  }
  if (wanted.answers !== undefined) expect(answers).toSatisfy((found) => fits(wanted.answers, found));
  if (wanted.throws === undefined) expect(error).toBeUndefined();
  else expect(error).toMatch(wanted.throws);
  for (const [name, text] of Object.entries(wanted.files ?? {})) expect(files[name] ?? null).toBe(text);
}
