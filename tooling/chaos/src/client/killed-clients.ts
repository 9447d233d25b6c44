import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyEvent } from '@rondo/protocol';
import { startModelServer, type ModelServer } from '@rondo/providers/testing';
import { createFileStore } from '@rondo/runtime/node';
import { replaySession } from '@rondo/sdk';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertEveryCallHasOneResult } from '../story/assert-story.ts';
import type { ClientDeath, ClientLine, ClientOptions, Frame } from './client-process.ts';
import { clientReply, endlessPrompt, nextEnd, nextPrompt, prompt, silentPrompt, storyEnd } from './client-story.ts';

const program = join(import.meta.dirname, 'client-process.ts');
const command = join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');
const sessionId = '5d0c8a5e-2f0b-4c8e-9a43-0a3f3b6e7c11';
const everyFlag =
  '--output-format stream-json --verbose --input-format stream-json --include-partial-messages --model=sonnet'
    .split(' ')
    .concat(
      '--permission-prompt-tool=stdio',
      '--allowedTools=Bash,mcp__world',
      '--settings={"sandbox":{"enabled":false}}',
    );
/** Two seconds until a peer sees that nobody reads, seven of a signal; the rest is for a machine that is busy. */
const goneWithinMs = 60_000;

/** A program that drives `rondo` over stdio is killed at each frame that it reads. */
export const killedClients: ChaosFamily = {
  name: 'kills of a client over stdio',
  atOnce: 2,
  async cases() {
    const frames = await countFrames();
    const deaths = frames.flatMap((frame, number): ClientDeath[] =>
      (frame['type'] === 'control_request' ? (['unanswered', 'answered'] as const) : (['answered'] as const)).map(
        (moment) => ({ frame: number, moment }),
      ),
    );
    return [silentCase, endlessCase, ...deaths.map((death) => killAt(death, frames[death.frame] ?? {}))];
  },
};

interface Scene {
  readonly folder: string;
  readonly server: ModelServer;
}

interface ClientRun {
  readonly frames: readonly Frame[];
  /** Of the peer, once it was started. */
  readonly pid: Promise<number>;
  readonly code: Promise<number | null>;
  kill(): void;
}

function runClient(
  { folder, server }: Scene,
  { flags, ...more }: Pick<ClientOptions, 'say' | 'until' | 'death'> & { readonly flags: readonly string[] },
): ClientRun {
  const project = join(folder, 'project');
  const options: ClientOptions = {
    command: ['--conditions=@rondo/source', command, ...everyFlag, ...flags],
    cwd: project,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      RONDO_HOME: join(folder, 'home'),
      RONDO_LOCAL_SERVERS: 'none',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'key',
      CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
    },
    world: join(folder, 'world'),
    ...more,
  };
  const child = spawn(process.execPath, ['--conditions=@rondo/source', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const frames: Frame[] = [];
  const pid = Promise.withResolvers<number>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as ClientLine;
    if ('read' in line) frames.push(line.read);
    else pid.resolve(line.pid ?? 0);
  });
  return {
    frames,
    pid: pid.promise,
    // The peer holds the end of standard error: what it starts is gone with it.
    code: new Promise((resolve) => child.once('close', (code) => resolve(code))),
    kill: () => void child.kill('SIGKILL'),
  };
}

async function countFrames(): Promise<readonly Frame[]> {
  return await withScene(async (scene) => {
    const run = runClient(scene, { say: prompt, until: storyEnd, flags: [`--session-id=${sessionId}`] });
    assert.equal(await run.code, 0, 'the story does not end well');
    assert.deepEqual(worldOf(scene), ['bash', 'charge {"n":1}']);
    return run.frames;
  });
}

function killAt(death: ClientDeath, frame: Frame): ChaosCase {
  const { subtype } = (frame['request'] ?? frame) as Frame;
  const what = `${String(frame['type'])}${typeof subtype === 'string' ? ` ${subtype}` : ''}`;
  return {
    name: `a client killed at frame ${death.frame} (${what}), ${death.moment}`,
    run: () =>
      withScene(async (scene) => {
        const flags = [`--session-id=${sessionId}`];
        const run = runClient(scene, { say: prompt, until: storyEnd, flags, death });
        await run.code;
        await untilGone(await run.pid);
        assertFailedClosed(scene, run.frames, death);
        await assertGoesOn(scene, run, death);
      }),
  };
}

/** A client that is killed while its peer waits for the model hears of nothing that would tell the peer so. */
const silentCase: ChaosCase = {
  name: 'a client killed while the model says nothing',
  essential: true,
  run: () =>
    withScene(async (scene) => {
      const flags = [`--session-id=${sessionId}`];
      const run = runClient(scene, { say: silentPrompt, until: storyEnd, flags });
      await scene.server.request(0);
      run.kill();
      await untilGone(await run.pid);
      await assertGoesOn(scene, run);
    }),
};

const endlessCase: ChaosCase = {
  name: 'a client killed while a command runs that never ends',
  essential: true,
  run: () =>
    withScene(async (scene) => {
      const flags = [`--session-id=${sessionId}`];
      const run = runClient(scene, { say: endlessPrompt, until: storyEnd, flags });
      const file = join(scene.folder, 'endless');
      const pidOf = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
      await until('the command runs', () => pidOf() > 0);
      run.kill();
      await untilGone(await run.pid);
      assert.ok(isGone(pidOf()), 'the command outlived its peer');
      await assertGoesOn(scene, run);
    }),
};

/** Nobody answered the hook that judges the command: it did not run. */
function assertFailedClosed(scene: Scene, frames: readonly Frame[], { moment }: ClientDeath): void {
  const last = frames.at(-1)?.['request'] as Frame | undefined;
  if (moment === 'unanswered' && last?.['callback_id'] === 'before') assert.deepEqual(worldOf(scene), []);
}

/** Another client resumes the session, or begins it where there was none yet, and nothing is lost and nothing done twice. */
async function assertGoesOn(scene: Scene, { frames }: ClientRun, death?: ClientDeath): Promise<void> {
  const before = await storedEvents(scene);
  const flag = before.length === 0 ? '--session-id' : '--resume';
  const next = runClient(scene, { say: nextPrompt, until: nextEnd, flags: [`${flag}=${sessionId}`] });
  assert.equal(await next.code, 0, `the next client did not end well: ${JSON.stringify(next.frames.at(-1))}`);
  const question = frames.at(-1);
  const isOpen = death?.moment === 'unanswered' && (question?.['request'] as Frame)?.['subtype'] === 'can_use_tool';
  if (isOpen) {
    const again = JSON.stringify(next.frames).includes(`"request_id":"${String(question?.['request_id'])}"`);
    assert.ok(again, 'the question that was open was not put again');
  }
  const events = await storedEvents(scene);
  assert.deepEqual(events.slice(0, before.length), before, 'what was stored has changed');
  assertEveryCallHasOneResult(events);
  const world = worldOf(scene);
  assert.equal(new Set(world).size, world.length, `something was done twice: ${world.join(', ')}`);
  const { divergence } = await replaySession(sessionId, { home: join(scene.folder, 'home') });
  assert.equal(divergence, undefined, `the session does not replay: ${JSON.stringify(divergence)}`);
}

function worldOf({ folder }: Scene): readonly string[] {
  const file = join(folder, 'world');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

async function storedEvents({ folder }: Scene): Promise<AnyEvent[]> {
  const store = createFileStore({ home: join(folder, 'home') });
  try {
    return await Array.fromAsync(store.read(sessionId));
  } catch {
    return [];
  } finally {
    await store.close();
  }
}

async function untilGone(pid: number): Promise<void> {
  await until(`process ${pid} is gone`, () => isGone(pid));
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const signal = AbortSignal.timeout(goneWithinMs);
  while (!isSo()) {
    assert.ok(!signal.aborted, `it took too long until ${what}`);
    await sleep(20);
  }
}

async function withScene<Result>(run: (scene: Scene) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rondo-client-')));
  mkdirSync(join(folder, 'project'));
  const server = await startModelServer({ script: clientReply });
  try {
    return await run({ folder, server });
  } finally {
    await server.close().catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
}
