import { expect, test } from 'vitest';
import { readScript } from '@rondo/providers/scripted';
import { finishRecording } from './finish-recording.ts';

const recorded = (took: string, frames: string) => `# Recorded by rondo --record.
version: 1
recorded:
  model: m
match: all
ignore:
  - "^(Date|Platform): .*$"
steps:
  - request:
      user:
        - |-
          Platform: linux x64
          Date: 2026-01-${took.slice(0, 2)}
        - result: Bash
          text: |-
            ✔ it adds (${took}ms)
            ℹ duration_ms ${took}
              Error: no
                  at Context.<anonymous> (file://\${cwd}/a.test.js:14:10)${frames} {
                code: 1
    text: done
`;

const few = '\n                  at Test.run (node:internal/test:1:2)';
const many = `${few}\n                  at async run (node:internal/test:30:4)\n                  at go (node:async:1:1)`;

test('two runs that say the same, each in its own time and on its own Node, are the same recording', async () => {
  const finished = finishRecording(recorded('12.75', few));
  expect(finishRecording(recorded('31', many))).toBe(finished);
  const { steps, unused, ignore } = await readScript(finished);
  expect(unused).toBe('error');
  const said = JSON.stringify(steps[0]?.said.request?.user);
  expect(said).toContain('Context.<anonymous>');
  // What may differ is said by patterns that both runs match.
  for (const told of ['(12.75ms)', '(1.0ms)', 'duration_ms 31', `\n${many}`])
    expect(
      ignore.some((pattern) => new RegExp(pattern, 'mu').test(told)),
      told,
    ).toBe(true);
});

test('a recording of another form is not finished by half', () => {
  expect(() => finishRecording('version: 1\nsteps:\n  - text: a\n')).toThrow('no list of what may differ');
});
