import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { query } from '../query.ts';
import { getSessionEvents } from '../sessions/get-session-events.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { lineStore } from '../testing/line-store.ts';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';

// Each test starts a process; a busy machine takes its time with it.
vi.setConfig({ testTimeout: 60_000 });

const program = fileURLToPath(new URL('../testing/mirror-until-killed.ts', import.meta.url));
let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-killed-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function killed(argv: readonly string[]): Promise<string | null> {
  const child = spawn(process.execPath, ['--conditions=@rondo/source', program, ...argv], { stdio: 'inherit' });
  return await new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)));
}

test.each([
  [2, 'eager'],
  [5, 'batched'],
])('a process killed before line %i of its mirror (%s) leaves what the next one makes whole', async (last, flush) => {
  const home = join(root, `home-${last}-${flush}`);
  const file = join(root, `store-${last}-${flush}.jsonl`);
  const sessionId = randomUUID();
  expect(await killed([home, sessionId, file, String(last), flush])).toBe('SIGKILL');

  const sessionStore = lineStore(file);
  const model = scriptedModel([say('gone on')]);
  const options = {
    model,
    home,
    cwd: '/',
    tools: ['Read'],
    settingSources: [],
    env: {},
    resume: sessionId,
    sessionStore,
  };
  const lines = await collectMessages(query({ prompt: 'more', options }));
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'gone on', session_id: sessionId });

  const projection = createTranscriptProjection(sessionId);
  const expected: unknown[] = [];
  for await (const event of getSessionEvents(sessionId, { home })) expected.push(...projection.push(event));
  const mirrored = await sessionStore.load({ projectKey: '-', sessionId });
  expect(mirrored).toEqual(JSON.parse(JSON.stringify(expected)));
});
