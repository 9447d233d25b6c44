// Searches a tree: `search-tree.ts FOLDER FILES RUNS`. Each search is done by ripgrep alone and by the tool, in turn, and
// prints what each took as JSON: from before the program is started until all of its answer is there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Tool } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { builtinTools } from '@rondo/tools';
import { rgPath } from '@vscode/ripgrep';
import { commonWord, rareEvery, rareWord } from './tree-words.ts';
import type { SearchCost, SearchName } from './search-cost.ts';

const [folder = '', size, count] = process.argv.slice(2);
const files = Number(size);
const runs = Number(count);
const { Glob, Grep } = builtinTools;

interface Search {
  /** What ripgrep is given to do the same work. */
  readonly floor: readonly string[];
  readonly tool: Tool;
  readonly input: Parameters<Tool['run']>[0];
  /** That the tool's answer holds: a search that finds less is not faster. */
  readonly holds: object;
}

const newest = ['--files', '--sortr', 'modified'];
const searches: Readonly<Record<SearchName, Search>> = {
  rareFiles: {
    floor: ['--files-with-matches', rareWord],
    tool: Grep,
    input: { pattern: rareWord, head_limit: 0 },
    holds: { numFiles: Math.ceil(files / rareEvery) },
  },
  rareLines: {
    floor: ['--line-number', rareWord],
    tool: Grep,
    input: { pattern: rareWord, output_mode: 'content', head_limit: 0 },
    holds: { numLines: Math.ceil(files / rareEvery) },
  },
  commonLines: {
    floor: ['--line-number', commonWord],
    tool: Grep,
    input: { pattern: commonWord, output_mode: 'content' },
    holds: { numLines: 250, totalFiles: files },
  },
  counts: {
    floor: ['--count', commonWord],
    tool: Grep,
    input: { pattern: commonWord, output_mode: 'count' },
    holds: { numMatches: 250 * 30, totalFiles: files },
  },
  someFiles: {
    floor: [...newest, '--glob', '*.ts'],
    tool: Glob,
    input: { pattern: '**/*.ts' },
    holds: { numFiles: 100, totalFiles: files / 5 },
  },
  allFiles: { floor: newest, tool: Glob, input: { pattern: '**' }, holds: { numFiles: 100, totalFiles: files } },
};

await using scene = await temporaryToolContext();
const rounds: SearchCost[] = [];
for (let index = -1; index < runs; index += 1) {
  const cost = await measureRound();
  // The first round warms the caches of the disk and of the engine.
  if (index >= 0) rounds.push(cost);
}
await rm(scene.folder, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(rounds)}\n`);

async function measureRound(): Promise<SearchCost> {
  const measured: [string, { floor: number; ours: number }][] = [];
  for (const [name, search] of Object.entries(searches)) {
    measured.push([name, { floor: await byHand(search.floor), ours: await byTool(search) }]);
  }
  return { ...(Object.fromEntries(measured) as Omit<SearchCost, 'cancelledMs'>), cancelledMs: await cancelled() };
}

async function byHand(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(rgPath, [...args, './'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`rg ${args.join(' ')} exited with ${child.exitCode}.`);
  return performance.now() - startedAt;
}

async function byTool({ tool, input, holds }: Search): Promise<number> {
  const startedAt = performance.now();
  const { structured } = await tool.run(input, scene.context({ cwd: folder }));
  const wallMs = performance.now() - startedAt;
  for (const [field, value] of Object.entries(holds)) {
    const found = (structured as Record<string, unknown>)[field];
    if (found !== value) throw new Error(`${tool.name}: ${field} is ${String(found)}, not ${String(value)}.`);
  }
  return wallMs;
}

/** From the abort of a search in its middle until the call has ended, when its program is gone. */
async function cancelled(): Promise<number> {
  const stop = new AbortController();
  let abortedAt = Number.NaN;
  setTimeout(() => {
    abortedAt = performance.now();
    stop.abort();
  }, files / 1_000);
  const run = Grep.run(
    { pattern: commonWord, output_mode: 'count' },
    scene.context({ cwd: folder, signal: stop.signal }),
  );
  await run.then(
    () => {
      throw new Error('The search was over before it could be cancelled.');
    },
    (error: unknown) => {
      if (error !== stop.signal.reason) throw error;
    },
  );
  return performance.now() - abortedAt;
}
