import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { probeBubblewrap } from './linux/probe-bubblewrap.ts';
import { escapeCases } from './testing/escape-cases.ts';
import { hiddenPayloads } from './testing/hidden-payloads.ts';
import { tryEscapes, type EscapeOutcome } from './testing/try-escapes.ts';

const canIsolate =
  process.platform === 'linux' &&
  (await probeBubblewrap({ path: process.env['PATH'], sharedProc: false, folders: [] })).ok;
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);
const hasOrdinaryUser = isRoot && (await nobodyCanRun());

/** Where there is no bubblewrap, the tests say that they were skipped. */
describe.skipIf(!canIsolate)('a command in the sandbox', { timeout: 600_000 }, () => {
  it('gets at nothing that it tries to get at', async () => {
    const outcomes = await tryEscapes(escapeCases);
    expect(escaped(outcomes)).toEqual([]);
    expect(withoutProof(outcomes)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(100);
  });

  it('gets at nothing by what no reader of its line can see', async () => {
    const outcomes = await tryEscapes(hiddenPayloads);
    expect(escaped(outcomes)).toEqual([]);
    expect(withoutProof(outcomes)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(40);
  });

  it.skipIf(!hasOrdinaryUser)('gets at nothing as an ordinary user either', async () => {
    const { stdout } = await asNobody(fileURLToPath(new URL('./testing/try-escapes-program.ts', import.meta.url)));
    const outcomes: EscapeOutcome[] = JSON.parse(stdout);
    expect(escaped(outcomes)).toEqual([]);
    expect(outcomes.length).toBe(escapeCases.length + hiddenPayloads.length);
  });
});

function escaped(outcomes: readonly EscapeOutcome[]) {
  return outcomes.filter(({ inside }) => inside.length > 0);
}

/** Attempts that come to nothing outside of the sandbox either. */
function withoutProof(outcomes: readonly EscapeOutcome[]): string[] {
  return outcomes.filter(({ outside }) => outside?.length === 0).map(({ name }) => name);
}

function asNobody(program: string) {
  const args = ['-u', 'nobody', '--', process.execPath, '--conditions=@rondo/source', program];
  return run('runuser', args, { env: { PATH: process.env['PATH'] }, cwd: '/', maxBuffer: 64 * 1024 ** 2 });
}

/** Whether another user can read these sources, run this Node and has runuser. */
async function nobodyCanRun(): Promise<boolean> {
  if (process.platform !== 'linux' || !isRoot) return false;
  const program = fileURLToPath(new URL('./testing/escape-cases.ts', import.meta.url));
  await access(program, constants.R_OK);
  return asNobody(program).then(
    () => true,
    () => false,
  );
}
