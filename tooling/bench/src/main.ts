import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureCommands } from './measure/measure-commands.ts';
import { startSupervisor } from './measure/run-supervised.ts';
import { commandRows } from './report/command-rows.ts';
import { renderReport } from './report/render-report.ts';
import { describeMachine, type Report } from './report/report.ts';
import { loopCalls } from './scenario/command-scenarios.ts';
import { writeNotes } from './scenario/note.ts';
import { startModelServer } from './server/start-model-server.ts';

const baselinePath = fileURLToPath(new URL('../baseline.json', import.meta.url));

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
});

const runs = flags.quick ? 2 : Number(flags.runs);
if (!Number.isInteger(runs) || runs < 1) throw new RangeError(`--runs takes a whole number from 1, not ${flags.runs}.`);
if (flags.quick && flags.update) throw new RangeError('A baseline takes more runs than --quick makes.');

await bench();

async function bench(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rondo-bench-'));
  try {
    const report = await measure(folder);
    const baseline = await readBaseline();
    process.stdout.write(renderReport(report, { baseline, verdict: !flags.quick }));
    const json = `${JSON.stringify(report, undefined, 2)}\n`;
    if (flags.json !== undefined) await writeFile(flags.json, json);
    if (flags.update) await writeFile(baselinePath, json);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string): Promise<Report> {
  const notes = path.join(folder, 'notes');
  const home = path.join(folder, 'home');
  await mkdir(home);
  await writeNotes(notes, loopCalls);
  warnWhenBusy();
  using server = await startModelServer(notes);
  using supervisor = startSupervisor({ folder, cwd: notes, env: environment(home) });
  const onRound = (done: number): void => void process.stderr.write(`\rround ${done} of ${runs} `);
  const rounds = await measureCommands({ supervisor, server, warmUps: flags.quick ? 1 : 3, runs, onRound });
  process.stderr.write('\n');
  return { machine: describeMachine(), runs, rows: commandRows(rounds) };
}

/** Nothing of the caller's: settings, keys and Node's own variables would be measured too. */
function environment(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    RONDO_HOME: path.join(home, '.rondo'),
    ANTHROPIC_API_KEY: 'bench',
    LC_ALL: 'C',
  };
}

function warnWhenBusy(): void {
  const load = loadavg()[0] ?? 0;
  if (load < 0.5) return;
  process.stderr.write(
    `The machine is busy (load ${load.toFixed(1)}): ratios hold better than times, and neither holds well.\n`,
  );
}

async function readBaseline(): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(baselinePath, 'utf8')) as Report;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
