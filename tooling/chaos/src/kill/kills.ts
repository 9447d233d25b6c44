import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startModelServer } from '@rondo/providers/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertRecovers, type Unfinished } from '../story/assert-recovers.ts';
import type { Life } from '../story/live-story.ts';
import type { StoryPrompt } from '../story/story-engine.ts';
import { startStoryProcess } from '../story/story-process.ts';
import { storyPrompt, treePrompt } from '../story/story-script.ts';
import { wireReply } from '../story/wire-story.ts';
import { type Death, moments } from './dying-file-system.ts';
import type { MortalLine, MortalOptions } from './mortal-process.ts';
import { realPlace } from './real-place.ts';

const program = join(import.meta.dirname, 'mortal-process.ts');
const never: Death = { write: Number.MAX_SAFE_INTEGER, moment: 'before' };

/** A process is killed at each of its writes, and this one goes on with its session, against a server that refuses what any provider would. */
export const kills = killsOf('kills', storyPrompt);

/** The same while agents are at work, in the same log. */
export const killsOfTrees = killsOf('kills of trees', treePrompt);

function killsOf(name: string, prompt: StoryPrompt): ChaosFamily {
  return {
    name,
    atOnce: 2,
    async cases() {
      const writes = await withPlace(prompt, (options) => countWrites(options));
      const deaths = Array.from({ length: writes }, (_, write) => moments.map((moment): Death => ({ write, moment })));
      return deaths.flat().flatMap((death) => [killAt(prompt, death, 'settle'), killAt(prompt, death, 'continue')]);
    },
  };
}

function killAt(prompt: StoryPrompt, death: Death, unfinished: Unfinished): ChaosCase {
  return {
    name: `killed at write ${death.write} (${death.moment}), then ${unfinished}`,
    run: () =>
      withPlace(prompt, async (place) => {
        const { life, killed } = await liveInProcess({ ...place, death });
        assert.ok(killed || life.turnId !== undefined, 'the process ended by itself, without a turn');
        await assertRecovers(life, startStoryProcess(realPlace(place), 2), unfinished);
      }),
  };
}

async function countWrites(place: Omit<MortalOptions, 'death'>): Promise<number> {
  const { writes } = await liveInProcess({ ...place, death: never });
  assert.ok(writes > 0, 'the story writes nothing');
  return writes;
}

interface MortalLife {
  readonly life: Life;
  readonly killed: boolean;
  readonly writes: number;
}

async function liveInProcess(options: MortalOptions): Promise<MortalLife> {
  const child = spawn(process.execPath, ['--conditions=@rondo/source', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
  const [stdout, stderr, signal] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map(readLine);
  const end = lines.find((line) => 'ended' in line);
  assert.ok(signal === 'SIGKILL' || end !== undefined, `the process failed: ${stderr}`);
  assert.equal(end?.failure, undefined);
  const shown = lines.flatMap((line) => ('shown' in line ? [line.shown] : []));
  const started = lines.find((line) => 'turnId' in line);
  const life = { acknowledged: shown, shown, ...(started === undefined ? {} : { turnId: started.turnId }) };
  return { life, killed: signal === 'SIGKILL', writes: end?.writes ?? 0 };
}

function readLine(line: string): MortalLine {
  return JSON.parse(line) as MortalLine;
}

/** A folder and a model server of a case's own. Rejects when the server refused a request. */
async function withPlace<Result>(
  prompt: StoryPrompt,
  run: (place: Omit<MortalOptions, 'death'>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rondo-chaos-'));
  const server = await startModelServer({ script: wireReply });
  try {
    const result = await run({ folder, serverUrl: server.url, prompt });
    await server.close();
    return result;
  } catch (error) {
    await server.close().catch(() => {});
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
