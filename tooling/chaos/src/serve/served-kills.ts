import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { connect } from '@rondo/client';
import { socketChannel } from '@rondo/client/node';
import type { AnyEvent } from '@rondo/protocol';
import { createFileStore } from '@rondo/runtime/node';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { type Death, moments } from '../kill/dying-file-system.ts';
import { assertTold } from './assert-told.ts';
import type { Lacking } from './served-agent.ts';
import { liveServedStory, sessionId, type Told } from './served-story.ts';
import type { ServingLine, ServingOptions } from './serving-process.ts';

const program = join(import.meta.dirname, 'serving-process.ts');
const never: Death = { write: Number.MAX_SAFE_INTEGER, moment: 'before' };

/** A process that serves a session is killed at each of its writes, and started again; its client goes on by itself. */
export const servedKills: ChaosFamily = {
  name: 'kills of a host that serves',
  atOnce: 1,
  async cases() {
    const writes = await countWrites();
    const deaths = Array.from({ length: writes }, (_, write) => moments.map((moment): Death => ({ write, moment })));
    return [parkedCase, ...deaths.flat().map(killAt)];
  },
};

interface ServingProcess {
  readonly recovered: Extract<ServingLine, { serving: unknown }>['serving'];
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<ServingLine | undefined>;
}

/** Resolves once it serves, or has been killed before. */
async function serve({ folder, inFlight }: Scene, death: Death, lacks?: Lacking): Promise<ServingProcess> {
  const options: ServingOptions = { folder, death, ...(lacks === undefined ? {} : { lacks }) };
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    ['--conditions=@rondo/source', program, JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines: ServingLine[] = [];
  const began = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as ServingLine;
    if ('inFlight' in said && said.inFlight === 3) inFlight.resolve();
    lines.push(said);
    if ('serving' in said) began.resolve();
  });
  await Promise.race([began.promise, gone]);
  return {
    recovered: lines.flatMap((line) => ('serving' in line ? line.serving : [])),
    gone,
    async stop(signal) {
      child.kill(signal);
      await gone;
      return lines.find((line) => 'writes' in line);
    },
  };
}

/** What a host is started with, and where three calls are in flight in any of its lives. */
interface Scene {
  readonly folder: string;
  readonly inFlight: PromiseWithResolvers<void>;
}

async function live({ folder, inFlight }: Scene, whenAsked?: () => Promise<void>): Promise<Told> {
  const path = join(folder, 'host.sock');
  const reconnect = { delaysMs: Array<number>(3000).fill(20) };
  return await liveServedStory({
    connect: () => connect(({ signal }) => socketChannel(path, { signal }), { reconnect }),
    async whenAsked() {
      await inFlight.promise;
      await whenAsked?.();
    },
    release: () => writeFileSync(join(folder, 'released'), ''),
  });
}

async function countWrites(): Promise<number> {
  return await withScene(async (scene) => {
    const process = await serve(scene, never);
    await live(scene);
    const end = await process.stop('SIGTERM');
    assert.ok(end !== undefined && 'writes' in end && end.writes > 0, 'the story writes nothing');
    return end.writes;
  });
}

function killAt(death: Death): ChaosCase {
  return {
    name: `killed at write ${death.write} (${death.moment}) while it serves, and started again`,
    run: () =>
      withScene(async (scene) => {
        // One process serves before the clients come: their first opening is tried once.
        const first = await serve(scene, death);
        let current = first;
        let isOver = false;
        const supervised = (async () => {
          await first.gone;
          while (!isOver) {
            current = await serve(scene, never);
            if (isOver) await current.stop('SIGKILL');
            else await current.gone;
          }
        })();
        try {
          const told = await live(scene);
          isOver = true;
          await current.stop('SIGTERM');
          await supervised;
          await assertStored(scene, told);
        } finally {
          isOver = true;
          await current.stop('SIGKILL');
          await supervised;
        }
      }),
  };
}

async function assertStored({ folder }: Scene, told: Told): Promise<void> {
  const world = join(folder, 'world');
  const charges = existsSync(world) ? readFileSync(world, 'utf8').trimEnd().split('\n') : [];
  assertTold(await storedEvents(folder), told, charges.map(Number));
}

/** What another host has otherwise, and how it is named as missing there. */
const lacking = [
  ['hook', 'hook "guard"'],
  ['tool', 'tool "charge"'],
  ['folder', 'folder /work'],
] as const;

const parkedCase: ChaosCase = {
  name: 'hosts without the hook, the tool or the folder park what a killed one left, and the right one goes on',
  essential: true,
  run: () =>
    withScene(async (scene) => {
      const first = await serve(scene, never);
      let right: ServingProcess | undefined;
      try {
        const told = await live(scene, async () => {
          await first.stop('SIGKILL');
          await goThroughStrangers(scene);
          right = await serve(scene, never);
          assert.deepEqual(right.recovered, [{ outcome: 'continued' }]);
        });
        await right?.stop('SIGTERM');
        await assertStored(scene, told);
      } finally {
        await Promise.all([first.stop('SIGKILL'), right?.stop('SIGKILL')]);
      }
    }),
};

/** One host after another comes upon what the killed one left. */
async function goThroughStrangers(scene: Scene): Promise<void> {
  const { folder } = scene;
  const before = await storedEvents(folder);
  for (const [lacks, missing] of lacking) {
    const stranger = await serve(scene, never, lacks);
    await stranger.stop('SIGTERM');
    assert.deepEqual(stranger.recovered, [{ outcome: 'parked', missing: [missing] }]);
  }
  const parked = (await storedEvents(folder)).slice(before.length);
  const ran = parked.flatMap(({ type }) => (/^(model|tool|hook)\./.test(type) ? [type] : []));
  assert.deepEqual(ran, [], 'it ran on a host that lacks what it was started with');
  const notices = parked.flatMap((event) => (event.type === 'notice' ? [event.details?.['status']] : []));
  // Each says so of the session, and may of the subagent below it.
  assert.ok(notices.length >= lacking.length && notices.every((status) => status === 'parked'));
}

async function storedEvents(folder: string): Promise<AnyEvent[]> {
  const store = createFileStore({ home: join(folder, 'home') });
  try {
    return await Array.fromAsync(store.read(sessionId));
  } finally {
    await store.close();
  }
}

async function withScene<Result>(run: (scene: Scene) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rondo-served-'));
  try {
    return await run({ folder, inFlight: Promise.withResolvers<void>() });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
