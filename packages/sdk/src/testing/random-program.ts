import type { PermissionResult, SDKMessage } from '@rondo/protocol';
import type { Model } from '@rondo/runtime';
import { isRondoError } from '@rondo/protocol/values';
import { call, fail, say, scriptedModel, type ScriptedPiece, type ScriptedStep, stall } from '@rondo/runtime/testing';
import fc from 'fast-check';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { promptStream, type PromptStream, streamOf } from './prompt-stream.ts';

type Reply = 'say' | 'two calls' | 'stall' | 'half, then stall' | 'refused';

/** What a program does with a query, one after the other; none of it is waited for but `pause` and `line`. */
export type Step =
  | { readonly do: 'say'; readonly named: boolean; readonly later: boolean }
  | { readonly do: 'streamInput'; readonly messages: number }
  | { readonly do: 'interrupt'; readonly cancelQueued: boolean }
  | { readonly do: 'setModel' | 'setPermissionMode' | 'applyFlagSettings' | 'setMaxThinkingTokens' }
  | { readonly do: 'reinitialize' | 'mcpServerStatus' | 'supportedModels' | 'setMcpServers' }
  /** Lets what is under way go on for so many turns of the loop. */
  | { readonly do: 'pause'; readonly turns: number }
  /** Waits until this many more lines have come, or nothing more comes by itself. */
  | { readonly do: 'line'; readonly count: number }
  | { readonly do: 'answer'; readonly how: 'allow' | 'deny' | 'stop' | 'null' | 'throw' };

export interface RandomProgram {
  readonly steps: readonly Step[];
  readonly replies: readonly Reply[];
  readonly end: 'prompt' | 'close' | 'return' | 'throw' | 'abort' | 'leave' | 'close, then all others';
  readonly isText: boolean;
  readonly options: Pick<
    Options,
    'includePartialMessages' | 'promptSuggestions' | 'sessionStates' | 'commandLifecycle'
  >;
}

/** Only a program that never ends takes that long. */
const hungMs = 20_000;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('say' as const), named: fc.boolean(), later: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('streamInput' as const), messages: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('interrupt' as const), cancelQueued: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom<'setModel' | 'setPermissionMode' | 'applyFlagSettings' | 'setMaxThinkingTokens'>(
        'setModel',
        'setPermissionMode',
        'applyFlagSettings',
        'setMaxThinkingTokens',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom<'reinitialize' | 'mcpServerStatus' | 'supportedModels' | 'setMcpServers'>(
        'reinitialize',
        'mcpServerStatus',
        'supportedModels',
        'setMcpServers',
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pause' as const), turns: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('line' as const), count: fc.nat(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      how: fc.constantFrom<'allow' | 'deny' | 'stop' | 'null' | 'throw'>('allow', 'deny', 'stop', 'null', 'throw'),
    }),
  },
);

export const randomProgram: fc.Arbitrary<RandomProgram> = fc.record({
  steps: fc.array(step, { maxLength: 14 }),
  replies: fc.array(fc.constantFrom<Reply>('say', 'say', 'two calls', 'stall', 'half, then stall', 'refused'), {
    maxLength: 8,
  }),
  end: fc.constantFrom<RandomProgram['end']>(
    'prompt',
    'prompt',
    'prompt',
    'close',
    'return',
    'throw',
    'abort',
    'leave',
    'close, then all others',
  ),
  isText: fc.boolean(),
  options: fc.record({
    includePartialMessages: fc.boolean(),
    promptSuggestions: fc.boolean(),
    sessionStates: fc.boolean(),
    commandLifecycle: fc.boolean(),
  }),
});

export interface RanProgram {
  readonly lines: readonly SDKMessage[];
  /** What the iteration threw. */
  readonly thrown: unknown;
  /** Of every method that was called, how it ended. */
  readonly outcomes: readonly (readonly [name: string, outcome: unknown])[];
  /** What came behind the end. */
  readonly late: readonly unknown[];
}

/** A question of `canUseTool`, and the way to answer it. */
interface Asked {
  readonly resolve: (answer: PermissionResult | null) => void;
  readonly reject: (error: unknown) => void;
}

/** The model of a program, and a tool of it that has to be asked for. */
export function modelOf(program: RandomProgram, asks: ScriptedPiece): Model {
  const replies = [...program.replies];
  return scriptedModel(Array.from({ length: 300 }, (): ScriptedStep => () => stepOf(replies.shift(), asks)));
}

/** Runs a program against a query, and waits until every call of it has ended. */
export async function runProgram(program: RandomProgram, place: Options): Promise<RanProgram> {
  const abortController = new AbortController();
  const asked: Asked[] = [];
  const prompt = promptStream();
  const running = query({
    prompt: program.isText ? 'go' : prompt,
    options: {
      env: {},
      settingSources: [],
      stderr: () => {},
      abortController,
      ...program.options,
      ...place,
      canUseTool: async (_name, _input, { signal }) =>
        await new Promise((resolve, reject) => {
          asked.push({ resolve, reject });
          signal.addEventListener('abort', () => reject(new Error('too late')), { once: true });
        }),
    },
  });
  const lines: SDKMessage[] = [];
  let thrown: unknown;
  let isOver = false;
  const reading = (async () => {
    try {
      for await (const line of running) lines.push(line);
    } catch (error) {
      thrown = error;
    }
    isOver = true;
  })();
  const calls: { readonly name: string; readonly outcome: Promise<unknown> }[] = [];
  const called = (name: string, result: Promise<unknown>): void => {
    calls.push({
      name,
      outcome: result.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
    });
  };

  for (const next of program.steps) {
    if (next.do === 'pause') await pause(next.turns);
    else if (next.do === 'line') {
      const wanted = lines.length + next.count;
      for (let turn = 0; turn < 300 && lines.length < wanted && !isOver; turn += 1) await pause(1);
    } else take(next);
  }

  function take(next: Exclude<Step, { readonly do: 'pause' | 'line' }>): void {
    switch (next.do) {
      case 'say':
        sayOne(prompt, next);
        break;
      case 'streamInput':
        called('streamInput', running.streamInput(streamOf(...Array.from({ length: next.messages }, () => 'more'))));
        break;
      case 'interrupt':
        called('interrupt', running.interrupt({ cancelQueued: next.cancelQueued }));
        break;
      case 'setModel':
        called(next.do, running.setModel());
        break;
      case 'setPermissionMode':
        called(next.do, running.setPermissionMode('acceptEdits'));
        break;
      case 'setMaxThinkingTokens':
        called(next.do, running.setMaxThinkingTokens(2000));
        break;
      case 'applyFlagSettings':
        called(next.do, running.applyFlagSettings({ permissions: { allow: ['Read'] } }));
        break;
      case 'setMcpServers':
        called(next.do, running.setMcpServers({}));
        break;
      case 'reinitialize':
      case 'mcpServerStatus':
      case 'supportedModels':
        called(next.do, running[next.do]());
        break;
      case 'answer':
        answerOne(asked, next.how);
    }
  }

  const why = new Error('left');
  const ends: Readonly<Record<string, () => void>> = {
    close: () => running.close(),
    return: () => called('return', running.return()),
    throw: () => called('throw', running.throw(why)),
    leave: () => called('leave', running.leave()),
    abort: () => abortController.abort(),
  };
  if (program.end === 'close, then all others') for (const end of Object.values(ends)) end();
  else ends[program.end]?.();
  prompt.end();
  const hung = Date.now() + hungMs;
  // Whatever still waits for the person, or stalls, is let go on.
  while (!isOver) {
    while (asked.length > 0) answerOne(asked, 'allow');
    if (program.end === 'prompt') running.interrupt().catch(() => {});
    await pause(20);
    if (Date.now() > hung) throw new Error(`the iteration never ends behind ${JSON.stringify(lines.at(-1))}`);
  }
  await reading;
  const outcomes: (readonly [string, unknown])[] = [];
  for (const { name, outcome } of calls) outcomes.push([name, await endOf(name, outcome)]);
  const late: unknown[] = [await running.next(), await running.return()];
  await running[Symbol.asyncDispose]();
  late.push(await running.interrupt().catch((error: unknown) => isRondoError(error) && error.code));
  return { lines, thrown, outcomes, late };
}

/** The outcome of a call, or what tells that there is none, so that a program that hangs is shown whole. */
async function endOf(name: string, outcome: Promise<unknown>): Promise<unknown> {
  const { promise: hung, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${name}() never ends`)), hungMs);
  try {
    return await Promise.race([outcome, hung]);
  } finally {
    clearTimeout(timer);
  }
}

function sayOne(prompt: PromptStream, { named, later }: Extract<Step, { readonly do: 'say' }>): void {
  prompt.say('hello', {
    ...(named ? { uuid: crypto.randomUUID() } : {}),
    ...(later ? { priority: 'later' as const } : {}),
  });
}

function answerOne(asked: Asked[], how: Extract<Step, { readonly do: 'answer' }>['how']): void {
  const question = asked.shift();
  if (question === undefined) return;
  if (how === 'throw') question.reject(new Error('broken'));
  else if (how === 'null') question.resolve(null);
  else if (how === 'allow') question.resolve({ behavior: 'allow' });
  else question.resolve({ behavior: 'deny', message: 'no', interrupt: how === 'stop' });
}

async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
}

function stepOf(reply: Reply | undefined, asks: ScriptedPiece): ScriptedStep {
  switch (reply) {
    case undefined:
    case 'say':
      return say(['all ', 'done']);
    case 'two calls':
      return [asks, call('Read', { file_path: 'a.txt' })];
    case 'stall':
      return stall();
    case 'half, then stall':
      return [say('half'), stall()];
    case 'refused':
      return fail('model.request_invalid', { status: 400 });
  }
}
