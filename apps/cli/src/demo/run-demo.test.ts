import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

test('the demo really reads, edits and tests, is refused what nobody allowed, and leaves a session to look at', async () => {
  // No key and no way to a network: only the recorded model can answer.
  const env = place.env({ TMPDIR: place.project });
  const { stdout, stderr, exitCode } = await runRondo(['demo'], { cwd: place.project, env });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });

  const steps = [
    '✗ Exit code 1',
    '• Read src/cart.js',
    '+    const factor = quantity >= 10',
    '• Bash npm publish',
    '✗ not allowed',
  ];
  const places = steps.map((step) => stdout.indexOf(step));
  expect(places).toEqual([...places].sort((left, right) => left - right));
  expect(places).not.toContain(-1);

  const [project] = readdirSync(place.project).filter((name) => name.startsWith('rondo-demo-'));
  expect(readFileSync(join(place.project, project ?? '', 'src', 'cart.js'), 'utf8')).toContain('quantity >= 10');

  const id = /rondo sessions show (\w+)/.exec(stdout)?.[1] ?? '';
  const shown = await runRondo(['sessions', 'show', id], { cwd: place.project, env });
  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).toContain('> A test of this project fails.');
  expect(shown.stdout).toContain('• Edit src/cart.js');
  rmSync(place.home, { recursive: true });
});
