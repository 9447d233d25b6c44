import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findProgram } from './linux/find-program.ts';
import { probeBubblewrap } from './linux/probe-bubblewrap.ts';
import { escapeCases } from './testing/escape-cases.ts';
import { hiddenPayloads } from './testing/hidden-payloads.ts';
import { tryEscapes, tryOutside, type EscapeOutcome } from './testing/try-escapes.ts';

const canIsolate =
  process.platform === 'linux' &&
  (await probeBubblewrap({ path: process.env['PATH'], sharedProc: false, folders: [] })).ok;
const hasRelay = canIsolate && (await findProgram('socat', { path: process.env['PATH'] })) !== undefined;
const run = promisify(execFile);
const hasOrdinaryUser = canIsolate && process.getuid?.() === 0 && (await nobodyCanRun());

/** Where there is no bubblewrap, the tests say that they were skipped. */
describe.skipIf(!canIsolate)('a command in the sandbox', { timeout: 900_000 }, () => {
  it('gets at nothing that it tries to get at', async () => {
    const outcomes = await tryEscapes(escapeCases);
    expect(escaped(outcomes)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(110);
  });

  it('gets at nothing by what no reader of its line can see', async () => {
    const outcomes = await tryEscapes(hiddenPayloads);
    expect(escaped(outcomes)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(45);
  });

  it.skipIf(!hasRelay)('gets at no more where domains are allowed', async () => {
    // The relay needs pairs of datagram sockets. `describe()` says what can be done with them.
    const reaching = escapeCases.filter(
      ({ name }) => /^(?:reaches|has|gets at) /.test(name) && !name.includes('pair of datagram'),
    );
    const outcomes = await tryEscapes(reaching, { network: { allowedDomains: ['allowed.test'] } });
    expect(escaped(outcomes)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(50);
  });

  it.skipIf(!hasOrdinaryUser)('gets at nothing as an ordinary user either', async () => {
    const { stdout } = await asNobody(fileURLToPath(new URL('./testing/try-escapes-program.ts', import.meta.url)));
    const outcomes: EscapeOutcome[] = JSON.parse(stdout);
    expect(escaped(outcomes)).toEqual([]);
    expect(outcomes.length).toBe(escapeCases.length + hiddenPayloads.length);
  });

  it('would get at all of it without the sandbox', async () => {
    const outcomes = await tryOutside([...escapeCases, ...hiddenPayloads]);
    expect(outcomes.filter(({ got }) => got.length === 0)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(110);
  });
});

function escaped(outcomes: readonly EscapeOutcome[]) {
  return outcomes.filter(({ got }) => got.length > 0);
}

function asNobody(program: string) {
  const args = ['-u', 'nobody', '--', process.execPath, '--conditions=@rondo/source', program];
  return run('runuser', args, { env: { PATH: process.env['PATH'] }, cwd: '/', maxBuffer: 64 * 1024 ** 2 });
}

/** Whether another user can read these sources, run this Node and has runuser. */
async function nobodyCanRun(): Promise<boolean> {
  return asNobody(fileURLToPath(new URL('./testing/escape-cases.ts', import.meta.url))).then(
    () => true,
    () => false,
  );
}
