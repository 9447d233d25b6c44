import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '@rondo/runtime/testing';
import fc from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { assertLineOrder } from '../order/line-order.ts';
import { getSessionEvents } from '../sessions/get-session-events.ts';
import { openHost } from '../testing/agent-host.ts';
import { modelOf, randomProgram, type RandomProgram, type RanProgram, runProgram } from '../testing/random-program.ts';

const root = mkdtempSync(join(tmpdir(), 'rondo-programs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let places = 0;

function place() {
  places += 1;
  return { cwd: mkdtempSync(join(root, `work-${places}-`)), home: join(root, `home-${places}`) };
}

/** What a method may reject with: the query has ended, or it needs a stream. */
const allowed: ReadonlySet<unknown> = new Set(['channel.closed', 'input.invalid', 'operation.aborted']);

function isFault([name, outcome]: readonly [string, unknown], mayRefuse: boolean): boolean {
  if (typeof outcome !== 'object' || outcome === null || !('error' in outcome)) return false;
  const { error } = outcome;
  if (name === 'throw') return !(error instanceof Error && error.message === 'left');
  if (typeof error !== 'object' || error === null || !('code' in error)) return true;
  return error.code === 'input.invalid' ? !mayRefuse : !allowed.has(error.code);
}

/** How many turns the log has begun and ended, and what became of messages. */
async function countsOf(sessionId: string, home: string) {
  const counts = { begun: 0, ended: 0, heard: 0, takenBack: 0 };
  for await (const event of getSessionEvents(sessionId, { home })) {
    if (event.type === 'turn.started') counts.begun += 1;
    if (event.type === 'turn.ended') counts.ended += 1;
    if (event.type === 'message.cancelled') counts.takenBack += 1;
    if (event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.messageId !== undefined)
      counts.heard += 1;
  }
  return counts;
}

/** How many messages a program has said: a stream that was refused may have said some. */
function saidIn({ steps, isText }: RandomProgram, outcomes: RanProgram['outcomes']): { least: number; most: number } {
  const streams = steps.filter((step) => step.do === 'streamInput');
  const ends = outcomes.filter(([name]) => name === 'streamInput');
  const said = Number(isText) + (isText ? 0 : steps.filter((step) => step.do === 'say').length);
  const count = (taken: readonly { readonly messages: number }[]): number =>
    taken.reduce((sum, { messages }) => sum + messages, said);
  return { least: count(streams.filter((_, index) => !isRefused(ends[index]?.[1]))), most: count(streams) };
}

function isRefused(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && 'error' in outcome;
}

function hearUnhandled(): unknown[] {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled));
  return unhandled;
}

/** What holds wherever the session is at work. */
function expectEnded(program: RandomProgram, { lines, thrown, outcomes, late }: RanProgram, isHost = false): void {
  assertLineOrder(lines, { cut: program.end !== 'prompt' });
  expect(outcomes.filter((outcome) => isFault(outcome, program.isText || isHost))).toEqual([]);
  expect(late).toEqual([{ done: true, value: undefined }, { done: true, value: undefined }, 'channel.closed']);
  if (program.end === 'abort' && thrown !== undefined) expect(thrown).toMatchObject({ code: expect.any(String) });
  else if (!program.isText) expect(thrown).toBeUndefined();
}

test('whatever a program does with a query, all its calls end, each turn has one result, and nothing comes after the end', async () => {
  const unhandled = hearUnhandled();
  const property = fc.asyncProperty(randomProgram, async (program) => {
    const { cwd, home } = place();
    const model = modelOf(program, call('Write', { file_path: 'a.txt', content: 'x' }));
    const ran = await runProgram(program, { cwd, home, model });
    expectEnded(program, ran);
    expect(unhandled).toEqual([]);
    const { lines, outcomes } = ran;
    const sessionId = lines.find(({ session_id: id }) => id)?.session_id;
    if (sessionId === undefined || program.end !== 'prompt') return;
    const { begun, ended, heard, takenBack } = await countsOf(sessionId, home);
    expect(ended).toBe(begun);
    expect(lines.filter(({ type }) => type === 'result')).toHaveLength(begun);
    const { least, most } = saidIn(program, outcomes);
    expect(heard + takenBack).toBeGreaterThanOrEqual(least);
    expect(heard + takenBack).toBeLessThanOrEqual(most);
  });
  await fc.assert(property, { numRuns: 25 });
}, 120_000);

test('with a session at a host it is the same', async () => {
  const unhandled = hearUnhandled();
  const property = fc.asyncProperty(randomProgram, async (program) => {
    await using host = await openHost({ clerk: modelOf(program, call('pay', { amount: 1 })) });
    expectEnded(program, await runProgram(program, { ...host.options, promptSuggestions: false }), true);
    expect(unhandled).toEqual([]);
  });
  await fc.assert(property, { numRuns: 15 });
}, 120_000);
