import { readFileSync } from 'node:fs';
import { hookEvents, type EventHook, type HookEvent } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { cellCallback, cellReason, columnOf, outputText } from '../testing/hook-cells.ts';
import { describeHookOutcomes } from './describe-hook-outcomes.ts';
import type { HookCallback } from './hook-callback.ts';
import { compileHookCallbacks } from './hook-callbacks.ts';
import { hookOutcomes, type CommandEnding, type HookResult } from './hook-outcomes.ts';
import { judgeCommandHook, type CommandEnd } from './judge-command-hook.ts';
import type { ReadAnswer } from './read-hook-answer.ts';

const ends: Readonly<Record<Exclude<CommandEnding, 'could not be started'>, Partial<CommandEnd>>> = {
  'exit 0': { exitCode: 0 },
  'exit 1': { exitCode: 1 },
  'exit 2': { exitCode: 2 },
  'exit 127': { exitCode: 127 },
  'another exit code': { exitCode: 42 },
  'ended by a signal': { exitCode: null, signal: 'SIGKILL' },
  'out of time': { exitCode: null, signal: 'SIGTERM', timedOut: true },
  'the turn is stopped': { exitCode: null, signal: 'SIGTERM', aborted: true },
};

/** The result that an answer, or a failure, stands for. */
async function resultOf(answered: Promise<Pick<ReadAnswer, 'answer'>>, isStopped: boolean): Promise<HookResult> {
  const read = await answered.catch(() => undefined);
  if (read === undefined) return isStopped ? 'aborted' : 'failed';
  const { decision, reason, systemMessage } = read.answer;
  const said = { allow: 'allowed', deny: 'denied', ask: 'asked', defer: 'deferred', block: 'blocked' } as const;
  if (decision === undefined) return systemMessage === cellReason ? 'told' : 'no opinion';
  if (decision !== 'allow') expect(reason).toBe(cellReason);
  return said[decision];
}

test.each(hookEvents)('every way in which a command can end has its documented result at %s', async (event) => {
  for (const { ending, output = 'nothing', results } of hookOutcomes.command) {
    if (ending === 'could not be started') continue;
    const end: CommandEnd = {
      exitCode: 0,
      signal: null,
      stdout: outputText(event, output),
      stderr: `${cellReason}\n`,
      isCut: output === 'more than 1 MiB',
      timedOut: false,
      aborted: false,
      ...ends[ending],
    };
    const result = await resultOf(judgeCommandHook(event, end), ending === 'the turn is stopped');
    expect([ending, output, result]).toEqual([ending, output, results[columnOf(event)]]);
  }
});

test('an exit with 2 blocks without a reason too', async () => {
  const end = { exitCode: 2, signal: null, stdout: '{}', stderr: ' \n', isCut: false, timedOut: false, aborted: false };
  for (const event of hookEvents) {
    const { decision, reason } = (await judgeCommandHook(event, end)).answer;
    const column = columnOf(event);
    expect(decision).toBe(column === 'tells' ? undefined : column === 'blocks' ? 'block' : 'deny');
    expect(reason === undefined).toBe(column === 'tells');
  }
});

test.each(hookEvents)('every way in which a callback can end has its documented result at %s', async (event) => {
  for (const { ending, results } of hookOutcomes.callback) {
    const stop = new AbortController();
    const hook = hookOf(event, (_input, _id, { signal }) => {
      const answer = cellCallback(event, ending, () => queueMicrotask(() => stop.abort()))(signal);
      return answer as ReturnType<HookCallback>;
    });
    const running = hook.run(
      {},
      { signal: stop.signal, hookId: 'h', progress: () => undefined, used: () => undefined },
    );
    // Its time is the engine's to keep: it ends by the signal too.
    if (ending === 'never settles') stop.abort();
    const result = await resultOf(running, ending.includes('stopped'));
    expect([ending, result]).toEqual([ending, results[columnOf(event)]]);
  }
});

function hookOf(event: HookEvent, callback: HookCallback): EventHook {
  const [hook] = compileHookCallbacks({ [event]: [{ hooks: [callback] }] });
  if (hook === undefined) throw new Error('there is no hook');
  return hook;
}

test('nothing but a documented allowance, alone and of a hook that ended well, allows', () => {
  const allowing = [...hookOutcomes.command, ...hookOutcomes.callback].filter(({ results }) =>
    Object.values(results).includes('allowed'),
  );
  expect(allowing.map(({ ending, output }) => [ending, output])).toEqual([
    ['exit 0', 'JSON: allow'],
    ['returns allow', undefined],
  ]);
});

test('the guide prints the table', () => {
  const guide = readFileSync(new URL('../../../../docs/guides/hooks.md', import.meta.url), 'utf8');
  expect(guide).toContain(describeHookOutcomes());
});
