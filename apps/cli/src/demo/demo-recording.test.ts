import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScriptModel, type Script } from '@rondo/providers/scripted';
import { createWorkplace, type Workplace } from '../testing/spawn-rondo.ts';
import { readDemoRecording } from './demo-recording.ts';
import { runDemo } from './run-demo.ts';

vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
let stdout: string;
let stderr: string;
beforeEach(() => {
  place = createWorkplace();
  for (const [name, value] of Object.entries(place.env({ TMPDIR: place.project }))) vi.stubEnv(name, value);
  stdout = '';
  stderr = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((piece) => Boolean((stdout += String(piece))));
  vi.spyOn(process.stderr, 'write').mockImplementation((piece) => Boolean((stderr += String(piece))));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  place[Symbol.dispose]();
});

/** The demo, where every request has to be the recorded one. */
function runStrictly(changed: (script: Script) => Script = (script) => script): Promise<number> {
  return runDemo({ model: async (folder) => createScriptModel(changed(await readDemoRecording(folder))) });
}

test('issue 3, accept 5: the demo asks its model what it asked when it was recorded', async () => {
  const exitCode = await runStrictly((script) => {
    expect(script).toMatchObject({ match: 'all', unused: 'error', recorded: expect.any(String) });
    for (const { said } of script.steps) expect(said.request).toBeDefined();
    return script;
  });
  // What is shown is the first request that differs. Where that is meant, `npm run demo:record` records it.
  expect({ exitCode, stderr }, stdout).toEqual({ exitCode: 0, stderr: '' });
});

test('issue 3, accept 5: a changed prompt of the demo fails with the first request that differs, as a diff', async () => {
  const running = runStrictly((script) => ({
    ...script,
    steps: script.steps.map((step) => ({
      ...step,
      ...(step.request && { request: { ...step.request, system: `${step.request.system}\nBe brief.` } }),
    })),
  }));
  await expect(running).rejects.toThrow(
    /step 1 of demo\.yaml \(line \d+\) was recorded for another request.*\n-\s+Be brief\.\n\+system: You are/s,
  );
});
