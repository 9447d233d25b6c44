import { readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '@rondo/runtime';
import { createIsolatedSandbox } from '../isolated-sandbox.ts';
import { createLocalSandbox } from '../local-sandbox.ts';
import type { SandboxSettings } from '../sandbox-settings.ts';
import type { EscapeCase } from './escape-cases.ts';
import { makeEscapePlace, type EscapePlace } from './escape-place.ts';

export interface EscapeOutcome {
  readonly name: string;
  /** What was got at: nothing, if the sandbox is one. */
  readonly got: readonly string[];
  readonly output: string;
}

/** How many lines share a start of the sandbox. In it none of them changes what another one finds. */
const batchSize = 12;
const atOnce = 3;
/** Only a hanging attempt needs it, however busy the machine is. */
const timeoutMs = 300_000;

/** Tries each in the sandbox, many at a start; where a start got at something, each of its attempts alone, to know which. */
export async function tryEscapes(
  cases: readonly EscapeCase[],
  settings: SandboxSettings = {},
): Promise<EscapeOutcome[]> {
  const together = cases.filter(({ before }) => before === undefined);
  const batches = Array.from({ length: Math.ceil(together.length / batchSize) }, (_, index) =>
    together.slice(index * batchSize, (index + 1) * batchSize),
  );
  const alone = cases.filter(({ before }) => before !== undefined).map((attempt) => [attempt]);
  const outcomes = await inTurns([...batches, ...alone], async (batch) => {
    const tried = await tryIsolated(batch, settings);
    if (batch.length === 1 || tried.every(({ got }) => got.length === 0)) return tried;
    return (await inTurns(batch, (attempt) => tryIsolated([attempt], settings))).flat();
  });
  return outcomes.flat();
}

/** Runs each outside of the sandbox in a place of its own: what does not get at anything there is no attempt. */
export async function tryOutside(cases: readonly EscapeCase[]): Promise<EscapeOutcome[]> {
  const tried = cases.filter(({ onlyInside }) => onlyInside === undefined);
  return inTurns(tried, async (attempt) => {
    await using place = await makeEscapePlace();
    const [outcome] = await attack([attempt], place, createLocalSandbox());
    return outcome ?? { name: attempt.name, got: [], output: '' };
  });
}

async function tryIsolated(cases: readonly EscapeCase[], settings: SandboxSettings): Promise<EscapeOutcome[]> {
  await using place = await makeEscapePlace();
  const sandbox = await createIsolatedSandbox({
    settings: {
      ...settings,
      enabled: true,
      filesystem: {
        denyWrite: ['kept', 'sub/deep/kept', 'not-yet/kept'],
        denyRead: ['hidden', '**/.env', 'sub/*.key'],
      },
    },
    folders: [place.work],
    home: place.home,
  });
  return await attack(cases, place, sandbox);
}

/** Runs the lines one after the other, each in a shell of its own. */
async function attack(cases: readonly EscapeCase[], place: EscapePlace, sandbox: Sandbox): Promise<EscapeOutcome[]> {
  const namespaces = ['ipc', 'uts', 'pid', 'net', 'mnt', 'user'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
  await writeFile(join(place.work, 'namespaces'), `${namespaces.join('\n')}\n`);
  const run = (line: string) =>
    sandbox.exec(line, {
      cwd: place.work,
      // Only the system's own programs: those of version managers look in places of the person's home.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: place.home },
      signal: new AbortController().signal,
      timeoutMs,
      outputLimit: 1_000_000,
    });
  for (const { before } of cases) if (before !== undefined) await run(before);
  const line = cases.map(({ command }, index) => `(\n${command(place)}\n) 2>&1\necho; echo '${mark}${index}'`);
  const { stdout, stderr, timedOut } = await run(line.join('\n'));
  if (timedOut) throw new Error(`an attempt of these hangs: ${cases.map(({ name }) => name).join('; ')}`);
  const common = [
    ...((await place.reached()) ? ['a server'] : []),
    ...(await place.damage()),
    ...(stderr.includes(place.secret) ? ['the secret'] : []),
  ];
  let rest = stdout;
  return cases.map(({ name, prints }, index) => {
    const [output = '', ...after] = rest.split(`\n${mark}${index}\n`);
    if (after.length === 0) throw new Error(`${name}: the shell did not come to its end: ${stderr}`);
    rest = after.join('');
    const printed = prints !== undefined && output.includes(prints);
    const own = [
      ...(output.includes(place.secret) ? ['the secret'] : []),
      ...(printed ? [`it printed ${prints}`] : []),
    ];
    return { name, got: [...own, ...common], output };
  });
}

const mark = '--- the end of attempt ';

async function inTurns<Item, Result>(items: readonly Item[], take: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, item] = next;
      results[index] = await take(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
