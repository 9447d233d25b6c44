import type { HookJSONOutput, PermissionResult, SDKMessage, SDKUserMessage } from '@rondo/protocol';
import {
  call,
  fail,
  say,
  scriptedModel,
  type ScriptedPiece,
  type ScriptedStep,
  stall,
  think,
} from '@rondo/runtime/testing';
import fc from 'fast-check';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';

type Piece = 'say' | 'think' | 'read' | 'write' | 'unknown tool' | 'bad input' | 'denied';
type Reply =
  | { readonly kind: 'reply'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'refused' | 'broken' }
  /** The model says something and then nothing more, until the person interrupts. */
  | { readonly kind: 'interrupted' };

/** What happens in one turn. */
export interface RandomTurn {
  readonly replies: readonly Reply[];
  /** The person's answers, in turn. */
  readonly answers: readonly ('allow' | 'deny' | 'stop' | 'interrupt')[];
  /** What hooks say of calls, in turn. */
  readonly before: readonly ('nothing' | 'deny' | 'ask' | 'allow' | 'throw')[];
  readonly prompt: 'pass' | 'block' | 'context';
  readonly stop: 'pass' | 'block';
}

export interface RandomConversation {
  readonly turns: readonly RandomTurn[];
  readonly options: Pick<
    Options,
    'includeHookEvents' | 'includePartialMessages' | 'maxTurns' | 'replayUserMessages' | 'sessionStates'
  >;
}

const piece = fc.constantFrom<Piece>('say', 'say', 'think', 'read', 'write', 'unknown tool', 'bad input', 'denied');
const reply: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('reply' as const),
      pieces: fc.array(piece, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('refused' as const, 'broken' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('interrupted' as const) }) },
);
const turn: fc.Arbitrary<RandomTurn> = fc.record({
  replies: fc.array(reply, { maxLength: 4 }),
  answers: fc.array(fc.constantFrom('allow', 'allow', 'deny', 'stop', 'interrupt'), { maxLength: 4 }),
  before: fc.array(fc.constantFrom('nothing', 'nothing', 'deny', 'ask', 'allow', 'throw'), { maxLength: 4 }),
  prompt: fc.constantFrom('pass', 'pass', 'pass', 'block', 'context'),
  stop: fc.constantFrom('pass', 'pass', 'block'),
});

export const randomConversation: fc.Arbitrary<RandomConversation> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
  options: fc.record({
    includeHookEvents: fc.boolean(),
    includePartialMessages: fc.boolean(),
    replayUserMessages: fc.boolean(),
    sessionStates: fc.boolean(),
    maxTurns: fc.constantFrom(2, 20, 20),
  }),
});

export interface Held {
  readonly lines: readonly SDKMessage[];
  readonly sessionId: string;
}

/** Holds a conversation, turn by turn, and gives all its lines. */
export async function holdConversation(
  { turns, options }: RandomConversation,
  place: Pick<Options, 'home' | 'cwd' | 'resume'>,
): Promise<Held> {
  let current: Cursor | undefined;
  const model = scriptedModel(Array.from({ length: 200 }, (): ScriptedStep => () => nextStep()));
  function nextStep(): ScriptedStep {
    const next = current?.replies.shift();
    if (next?.kind === 'interrupted') setImmediate(() => void running.interrupt());
    return stepOf(next, current?.count() ?? 0);
  }
  const hook = (answer: () => HookJSONOutput) => {
    const later = async (): Promise<HookJSONOutput> => {
      await new Promise(setImmediate);
      return answer();
    };
    return [{ hooks: [later] }];
  };
  const ended: PromiseWithResolvers<void>[] = turns.map(() => Promise.withResolvers<void>());
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const [index, next] of turns.entries()) {
      current = cursorOf(next);
      yield { type: 'user', message: { role: 'user', content: `turn ${index}` }, parent_tool_use_id: null };
      await ended[index]?.promise;
    }
  }
  const running = query({
    prompt: prompts(),
    options: {
      model,
      env: {},
      settingSources: [],
      disallowedTools: ['Write(denied.txt)'],
      ...place,
      ...options,
      canUseTool: async (_tool, _input, { signal }): Promise<PermissionResult> => {
        const answer = current?.answers.shift() ?? 'allow';
        if (answer === 'allow') return { behavior: 'allow' };
        if (answer === 'deny') return { behavior: 'deny', message: 'not this' };
        if (answer === 'stop') return { behavior: 'deny', message: 'stop', interrupt: true };
        setImmediate(() => void running.interrupt());
        return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('too late'))));
      },
      hooks: {
        UserPromptSubmit: hook(() => promptAnswer(current)),
        PreToolUse: hook(() => callAnswer(current)),
        Stop: hook(() => (current?.takeStop() === true ? { decision: 'block', reason: 'go on' } : {})),
      },
    },
  });
  const lines: SDKMessage[] = [];
  let results = 0;
  for await (const line of running) {
    lines.push(line);
    if (line.type === 'result') ended[results++]?.resolve();
  }
  return { lines, sessionId: lines[0]?.session_id ?? '' };
}

/** How far a turn has come. */
interface Cursor {
  readonly replies: Reply[];
  readonly answers: RandomTurn['answers'][number][];
  readonly before: RandomTurn['before'][number][];
  readonly prompt: RandomTurn['prompt'];
  takeStop(): boolean;
  count(): number;
}

function cursorOf({ replies, answers, before, prompt, stop }: RandomTurn): Cursor {
  let blocks = stop === 'block';
  let requests = 0;
  return {
    replies: [...replies],
    answers: [...answers],
    before: [...before],
    prompt,
    takeStop() {
      const taken = blocks;
      blocks = false;
      return taken;
    },
    count: () => (requests += 1),
  };
}

function promptAnswer(turn: Cursor | undefined): HookJSONOutput {
  if (turn?.prompt === 'block') return { decision: 'block', reason: 'not that' };
  if (turn?.prompt !== 'context') return {};
  return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'It is late.' } };
}

function callAnswer(turn: Cursor | undefined): HookJSONOutput {
  const answer = turn?.before.shift() ?? 'nothing';
  if (answer === 'throw') throw new Error('broken');
  if (answer === 'nothing') return {};
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: answer, permissionDecisionReason: 'so' },
  };
}

function stepOf(reply: Reply | undefined, count: number): ScriptedStep {
  switch (reply?.kind) {
    case undefined:
      return say(['all ', 'done']);
    case 'refused':
      return fail('model.request_invalid', { status: 400 });
    case 'broken':
      return [say('half'), fail('model.overloaded', { status: 529 })];
    case 'interrupted':
      return count % 2 === 0 ? stall() : [say(['so ', 'far']), stall()];
    case 'reply':
      return reply.pieces.map((kind, index) => pieceOf(kind, `${count}-${index}`));
  }
}

function pieceOf(kind: Piece, name: string): ScriptedPiece {
  switch (kind) {
    case 'say':
      return say([`text `, name]);
    case 'think':
      return think(['hm, ', name], 'signature');
    case 'read':
      return call('Read', { file_path: 'a.txt' });
    case 'write':
      return call('Write', { file_path: `${name}.txt`, content: 'x' });
    case 'denied':
      return call('Write', { file_path: 'denied.txt', content: 'x' });
    case 'unknown tool':
      return call('Telephone', { number: 1 });
    case 'bad input':
      return call('Read', { path: 1 });
  }
}
