import { readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '@rondo/runtime';
import { createIsolatedSandbox } from '../isolated-sandbox.ts';
import { createLocalSandbox } from '../local-sandbox.ts';
import type { SandboxSettings } from '../sandbox-settings.ts';
import type { EscapeCase } from './escape-cases.ts';
import { makeEscapePlace, type EscapePlace } from './escape-place.ts';

export interface EscapeOutcome {
  readonly name: string;
  /** What was got at in the sandbox: nothing, if it is one. */
  readonly inside: readonly string[];
  /** What was got at by the same command outside; undefined where it was not tried. */
  readonly outside: readonly string[] | undefined;
  readonly output: string;
}

/** Tries each in a place of its own, in the sandbox and then, to know that it is an attempt at all, without. */
export async function tryEscapes(
  cases: readonly EscapeCase[],
  settings: SandboxSettings = {},
): Promise<EscapeOutcome[]> {
  const outcomes: EscapeOutcome[] = [];
  const waiting = cases.map((attempt, index) => ({ attempt, index }));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      outcomes[next.index] = await tryEscape(next.attempt, settings);
    }
  };
  await Promise.all([work(), work(), work()]);
  return outcomes;
}

async function tryEscape(attempt: EscapeCase, settings: SandboxSettings): Promise<EscapeOutcome> {
  await using place = await makeEscapePlace();
  const isolated = await createIsolatedSandbox({
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
  const inside = await attack(attempt, place, isolated);
  if (attempt.onlyInside !== undefined)
    return { name: attempt.name, inside: inside.got, outside: undefined, output: inside.output };
  const outside = await attack(attempt, place, createLocalSandbox());
  await Promise.all(['/tmp', '/dev/shm'].map((folder) => rm(join(folder, 'rondo-escape-canary'), { force: true })));
  return { name: attempt.name, inside: inside.got, outside: outside.got, output: inside.output };
}

async function attack({ command, prints }: EscapeCase, place: EscapePlace, sandbox: Sandbox) {
  const namespaces = await Promise.all(
    ['ipc', 'uts', 'pid', 'net', 'mnt', 'user'].map((name) => readlink(`/proc/self/ns/${name}`)),
  );
  await writeFile(join(place.work, 'namespaces'), `${namespaces.join('\n')}\n`);
  const execution = await sandbox.exec(command(place), {
    cwd: place.work,
    // Only the system's own programs: those of version managers look in places of the person's home.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: place.home },
    signal: new AbortController().signal,
    timeoutMs: 30_000,
    outputLimit: 30_000,
  });
  const output = `${execution.stdout}${execution.stderr}`;
  const got = [
    ...(output.includes(place.secret) ? ['the secret'] : []),
    ...(prints !== undefined && execution.stdout.includes(prints) ? [`it printed ${prints}`] : []),
    ...(place.reached() ? ['a server'] : []),
    ...(await place.damage()),
  ];
  return { got, output };
}
