import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureDialects } from './dialects/measure-dialects.ts';
import { measureHost } from './host/measure-host.ts';
import { measureCommands } from './measure/measure-commands.ts';
import { startSupervisor } from './measure/run-supervised.ts';
import { measureHistory, measureHomes, measureSessionsAtOnce, sessionCount } from './measure/measure-programs.ts';
import { measureSandbox } from './measure/measure-sandbox.ts';
import { measureSearch } from './measure/measure-search.ts';
import { measureQueries, measureQueriesAtOnce } from './query/measure-queries.ts';
import { commandRows } from './report/command-rows.ts';
import { dialectRows } from './report/dialect-rows.ts';
import { hostRows } from './report/host-rows.ts';
import { historyRows, homeRows, sessionsRows } from './report/program-rows.ts';
import { queriesAtOnceRows, queryRows } from './report/query-rows.ts';
import { renderReport } from './report/render-report.ts';
import { sandboxRows } from './report/sandbox-rows.ts';
import { searchRows } from './report/search-rows.ts';
import { describeMachine, type Report } from './report/report.ts';
import type { Row } from './report/row.ts';
import { commandScenarios } from './scenario/command-scenarios.ts';
import { copyCommand } from './scenario/copy-command.ts';
import { writeNotes } from './scenario/note.ts';
import { lateStep } from './sessions/history-steps.ts';
import { startModelServer } from './server/start-model-server.ts';

const baselinePath = fileURLToPath(new URL('../baseline.json', import.meta.url));

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    big: { type: 'boolean', default: false },
    json: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
});

/** What can be measured by itself with `--only`. */
const parts = ['commands', 'query', 'dialects', 'sessions', 'history', 'homes', 'search', 'sandbox', 'host'] as const;
type Part = (typeof parts)[number];

const runs = flags.quick ? 2 : Number(flags.runs);
const chosen = new Set(flags.only ?? parts);
/** Programs that run for seconds vary less, and a thousand sessions are a thousand measurements. */
const fewRuns = Math.ceil(runs / 5);
const home = flags.quick ? { sessions: 500, megabytes: 5 } : { sessions: 20_000, megabytes: flags.big ? 1_024 : 200 };

if (!Number.isInteger(runs) || runs < 1) throw new RangeError(`--runs takes a whole number from 1, not ${flags.runs}.`);
for (const name of chosen) {
  if (!parts.some((part) => part === name)) throw new RangeError(`--only takes ${parts.join(', ')}, not ${name}.`);
}
if (flags.update && (flags.quick || flags.big || flags.only)) {
  throw new RangeError('A baseline is one whole ordinary run: leave out --quick, --big and --only.');
}

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
  await mkdir(path.join(folder, 'home'));
  await writeNotes(notes, lateStep + 1);
  warnWhenBusy();
  using server = await startModelServer(notes);
  using supervisor = startSupervisor({ folder, cwd: notes, env: environment(path.join(folder, 'home')) });
  const programs = { supervisor, server, folder, runs: fewRuns };
  const warmUps = flags.quick ? 1 : 3;
  const rows: Row[] = [];
  const commandPath = await copyCommand(folder);
  if (starts('commands')) {
    const scenarios = commandScenarios(commandPath);
    rows.push(
      ...commandRows(
        await measureCommands({
          scenarios,
          supervisor,
          server,
          warmUps,
          runs,
          onRound: (done) => say(`commands: round ${done} of ${runs}`),
        }),
      ),
    );
  }
  if (starts('query')) {
    const heard = (done: number): void => say(`query: round ${done} of ${runs}`);
    rows.push(...queryRows(await measureQueries({ supervisor, server, warmUps, runs, onRound: heard })));
    const many = flags.quick ? 100 : sessionCount;
    rows.push(...queriesAtOnceRows(await measureQueriesAtOnce({ ...programs, many }), many));
  }
  if (starts('dialects')) {
    const heard = (done: number): void => say(`dialects: round ${done} of ${runs}`);
    rows.push(...dialectRows(await measureDialects({ commandPath, supervisor, warmUps, runs, onRound: heard })));
  }
  if (starts('sessions')) rows.push(...sessionsRows(await measureSessionsAtOnce(programs)));
  if (starts('history')) rows.push(...historyRows(await measureHistory(programs)));
  if (starts('homes')) rows.push(...homeRows(await measureHomes({ ...programs, ...home, commandPath }), home));
  if (starts('search')) {
    const files = flags.quick ? 2_000 : 100_000;
    rows.push(...searchRows(await measureSearch({ supervisor, folder, files, runs }), files));
  }
  if (starts('sandbox')) rows.push(...sandboxRows(await measureSandbox({ supervisor, folder, runs })));
  if (starts('host')) {
    const sessions = flags.quick ? 100 : sessionCount;
    const heard = (done: number): void => say(`host: round ${done} of ${fewRuns}`);
    rows.push(...hostRows(await measureHost({ folder, sessions, runs: fewRuns, onRound: heard }), sessions));
  }
  return { machine: describeMachine(), runs, rows };
}

function starts(part: Part): boolean {
  if (chosen.has(part)) say(`${part} …`);
  return chosen.has(part);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Nothing of the caller's: settings, keys and Node's own variables would be measured too. */
function environment(folder: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    RONDO_HOME: path.join(folder, '.rondo'),
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
