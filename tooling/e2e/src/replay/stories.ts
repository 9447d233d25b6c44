import { readFileSync } from 'node:fs';
import type { Session, Turn } from '@rondo/client';
import type { TurnRecord } from '@rondo/protocol';
import { imageBlockFromBytes } from '@rondo/protocol/values';
import { hold, malformedToolCall, reply, status, type Step, text, thinking, toolCall } from '@rondo/providers/testing';
import { forkSession } from '@rondo/sdk';
import {
  accept,
  type Agent,
  type AgentOptions,
  allowApproval,
  ask as askPerson,
  continueWith,
  defineTool,
  denyApproval,
  reject,
  retry,
  skip,
} from '@rondo/sdk/agent';

const dot = imageBlockFromBytes(readFileSync(new URL('../dialects/dot.png', import.meta.url)), { altText: 'a dot' });
const article = { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] } as const;

/** What the stories' tools wait for. */
interface Doors {
  opened: Promise<unknown>;
}

function storeRoom(doors: Doors) {
  return [
    defineTool({
      name: 'weigh',
      description: 'Weighs an article.',
      input: article,
      effect: 'none',
      run: ({ article: name }) => `${String(name)}: 7 g`,
    }),
    defineTool({
      name: 'photograph',
      description: 'Takes a picture.',
      input: article,
      effect: 'none',
      run: () => ({ content: [{ type: 'text', text: 'here it is' }, dot] }),
    }),
    defineTool({
      name: 'sell',
      description: 'Sells an article.',
      input: article,
      effect: 'once',
      run: async ({ article: name }) => {
        await doors.opened;
        return { content: `sold ${String(name)}`, structured: { sold: String(name) } };
      },
    }),
    defineTool({
      name: 'burn',
      description: 'Burns an article.',
      input: article,
      effect: 'once',
      run: () => 'ashes',
    }),
  ];
}

export function keeper(options: Partial<AgentOptions> & Pick<AgentOptions, 'model'>, doors?: Doors): AgentOptions {
  return {
    instructions: 'You keep the store room.',
    tools: storeRoom(doors ?? { opened: Promise.resolve() }),
    permissionPolicy: {
      default: 'allow',
      rules: [
        { tools: ['burn'], decision: 'deny' },
        { tools: ['sell'], decision: 'ask' },
      ],
    },
    ...options,
  };
}

export interface Story {
  readonly name: string;
  readonly options?: Partial<AgentOptions>;
  readonly script: (door: Promise<unknown>) => readonly Step[];
  /** Gives the IDs of the sessions it was told in. */
  readonly tell: (scene: StoryScene) => Promise<readonly string[]>;
}

export interface StoryScene {
  readonly agent: Agent;
  readonly home: string;
  readonly openDoor: () => void;
  /** The agent anew, as another process has it; the one before is closed. */
  readonly renew: () => Promise<Agent>;
}

const saysText = (content: readonly { readonly type: string }[], wanted: string): boolean =>
  content.some((block) => block.type === 'text' && 'text' in block && block.text === wanted);

async function begin(session: Session, message: string): Promise<Turn> {
  const turn = await session.startTurn(message);
  if (turn.type === 'busy') throw new Error('a new session is busy');
  return turn;
}

async function blockedOn(turn: Turn): Promise<string> {
  const state = await turn.result();
  const [callback] = state.type === 'blocked' ? state.callbacks : [];
  if (callback?.type !== 'approval') throw new Error(`the turn is ${state.type}`);
  return callback.id;
}

async function until(turn: Turn, type: string): Promise<void> {
  for await (const event of turn.events({ deltas: true })) if (event.type === type) return;
}

const ended = (record: { readonly type: string }): TurnRecord['type'] => record.type as TurnRecord['type'];

async function run(agent: Agent, ...messages: readonly string[]): Promise<readonly string[]> {
  const session = await agent.startSession();
  for (const message of messages) ended(await session.run(message));
  return [session.id];
}

const sale = () => [[text('I sell it.'), toolCall('sell', { article: 'pen' })], text('Sold or not.')];

export const stories: readonly Story[] = [
  {
    name: 'text, over several turns, with reasoning',
    script: () => [[thinking('Hm.'), text('Grüße \u2028 世界')], text('two'), text('three')],
    tell: ({ agent }) => run(agent, 'one', 'two', 'three'),
  },
  {
    name: 'calls, one by one and at once, some wrong',
    script: () => [
      [toolCall('weigh', { article: 'a' }), toolCall('weigh', { article: 'b' }), toolCall('nothing', { article: 'c' })],
      [toolCall('photograph', { article: 'a' }), toolCall('weigh', { what: 1 })],
      [malformedToolCall('weigh', '{"article": [1')],
      text('done'),
    ],
    tell: ({ agent }) => run(agent, 'go'),
  },
  {
    name: 'a call that the policy denies',
    script: () => [[toolCall('weigh', { article: 'a' }), toolCall('burn', { article: 'a' })], text('not burnt')],
    tell: ({ agent }) => run(agent, 'burn it'),
  },
  {
    name: 'a call that is asked about and allowed, and for the session',
    script: () => [...sale(), ...sale()],
    async tell({ agent, openDoor }) {
      openDoor();
      const session = await agent.startSession();
      const turn = await begin(session, 'sell');
      await turn.answer(await blockedOn(turn), allowApproval({ scope: 'session' }));
      await until(turn, 'turn.ended');
      // An ask rule asks again, whatever the session was allowed.
      const again = await begin(session, 'again');
      await again.answer(await blockedOn(again), allowApproval());
      await until(again, 'turn.ended');
      return [session.id];
    },
  },
  {
    name: 'a call that is asked about and denied, then one whose arguments the answer rewrites',
    script: () => [...sale(), ...sale()],
    async tell({ agent, openDoor }) {
      openDoor();
      const session = await agent.startSession();
      const first = await begin(session, 'sell');
      await first.answer(await blockedOn(first), denyApproval({ message: 'not this one' }));
      await until(first, 'turn.ended');
      const second = await begin(session, 'again');
      await second.answer(await blockedOn(second), allowApproval({ updatedInput: { article: 'pencil' } }));
      await until(second, 'turn.ended');
      return [session.id];
    },
  },
  {
    name: 'an answer that stops the turn, and a stop while a question is open',
    script: () => [[toolCall('sell', { article: 'a' }), toolCall('sell', { article: 'b' })], sale()[0] ?? text('')],
    async tell({ agent }) {
      const session = await agent.startSession();
      const first = await begin(session, 'sell');
      await first.answer(await blockedOn(first), denyApproval({ interrupt: true }));
      await until(first, 'turn.ended');
      const second = await begin(session, 'again');
      await blockedOn(second);
      await second.interrupt();
      return [session.id];
    },
  },
  {
    name: 'a turn that is stopped in the middle of its text',
    script: (door) => [[text(['half ', door])], text('whole')],
    async tell({ agent, openDoor }) {
      const session = await agent.startSession();
      const turn = await begin(session, 'speak');
      await until(turn, 'text.delta');
      await turn.interrupt();
      openDoor();
      await session.run('again');
      return [session.id];
    },
  },
  {
    name: 'messages that join a turn, come next, and come later',
    script: (door) => [
      [text('first '), hold(door), toolCall('weigh', { article: 'a' })],
      text('steered'),
      text('next'),
      text('later'),
    ],
    async tell({ agent, openDoor }) {
      const session = await agent.startSession();
      const turn = await begin(session, 'go');
      await until(turn, 'text.delta');
      await session.sendMessage('later', { delivery: 'later' });
      await session.sendMessage('next', { delivery: 'next' });
      await turn.steer('and this');
      openDoor();
      let ends = 0;
      for await (const event of session.events()) if (event.type === 'turn.ended' && ++ends === 3) break;
      return [session.id];
    },
  },
  {
    name: 'a request that is tried again, and one that fails',
    script: () => [status(529, { retryAfter: 0 }), text('at last'), status(400)],
    tell: ({ agent }) => run(agent, 'try', 'fail'),
  },
  {
    name: 'a session that is forked, and both go on',
    script: () => [toolCall('weigh', { article: 'a' }), text('weighed'), text('here'), text('there')],
    async tell({ agent, home }) {
      const session = await agent.startSession();
      await session.run('weigh');
      const fork = await forkSession(session.id, { home });
      await session.run('go on');
      await agent.session(fork.sessionId).run('go on');
      return [session.id, fork.sessionId];
    },
  },
  {
    name: 'a process that ends while a question is open, and another that answers it',
    script: () => sale(),
    async tell({ agent, openDoor, renew }) {
      openDoor();
      const session = await agent.startSession();
      const turn = await begin(session, 'sell');
      const question = await blockedOn(turn);
      const other = await renew();
      await other.openSession(session.id);
      const same = other.session(session.id).turn(turn.id);
      await same.answer(question, allowApproval());
      await until(same, 'turn.ended');
      return [session.id];
    },
  },
  {
    name: 'a process that ends while a call runs, and a turn that begins all the same',
    script: (door) => [[text('slow '), hold(door)], text('new')],
    async tell({ agent, openDoor, renew }) {
      const session = await agent.startSession();
      const turn = await begin(session, 'speak');
      await until(turn, 'text.delta');
      const other = await renew();
      openDoor();
      await other.session(session.id).run('again');
      return [session.id];
    },
  },
  {
    name: 'hooks that stop a call, put other arguments and another result in place, ask, and keep a state',
    options: {
      hooks: [
        {
          name: 'warden',
          preToolCall(context, { toolName, arguments: input }) {
            context.keep({ type: 'seen', value: { at: context.now(), by: context.uuid(), luck: context.random() } });
            if (input['article'] === 'bomb') return skip('no bombs');
            if (toolName === 'weigh') return continueWith({ arguments: { article: 'something' } });
            return input['article'] === 'gun' ? askPerson('a gun') : undefined;
          },
          postToolCall: (_context, { toolName }) => continueWith(toolName === 'weigh' ? { result: 'heavy' } : {}),
        },
      ],
    },
    script: () => [
      [
        toolCall('weigh', { article: 'bomb' }),
        toolCall('weigh', { article: 'a' }),
        toolCall('photograph', { article: 'gun' }),
      ],
      text('done'),
    ],
    async tell({ agent }) {
      const session = await agent.startSession();
      const turn = await begin(session, 'go');
      await turn.answer(await blockedOn(turn), allowApproval());
      await until(turn, 'turn.ended');
      return [session.id];
    },
  },
  {
    name: 'hooks that change what was said, drop replies, write the answer, and end turns',
    options: {
      guardrails: [
        {
          name: 'tidy',
          preAgentTurn: (_context, { userContent }) =>
            saysText(userContent, 'stop') ? skip('no') : continueWith({ userContent: 'tidied' }),
        },
        {
          name: 'broken',
          postLlmCall: (_context, { text: said }) => {
            if (said === 'break') throw new Error('broken');
          },
        },
      ],
      hooks: [
        {
          name: 'censor',
          postLlmCall: (_context, { text: said }) =>
            said === 'rude' ? retry('be kind') : said === 'evil' ? reject('no') : accept(),
          postAgentTurn: (_context, { text: said }) => continueWith({ text: `${said}!` }),
        },
      ],
    },
    script: () => [text('rude'), text('kind'), text('evil'), text('break')],
    tell: ({ agent }) => run(agent, 'one', 'two', 'stop', 'three'),
  },
  {
    name: 'a loop that its limit ends',
    script: () => Array.from({ length: 10 }, (_, count) => reply([toolCall('weigh', { article: `${count}` })])),
    tell: ({ agent }) => run(agent, 'go on and on'),
  },
];
