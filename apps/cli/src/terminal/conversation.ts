import { type Options, type Query, query } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import { queryOptions } from '../compose.ts';
import { createConversationView } from './conversation-view.ts';
import { createHeldMessages } from './held-messages.ts';
import type { Keyboard } from './keyboard.ts';
import { createMessageQueue } from './message-queue.ts';
import type { Paint } from './painter.ts';
import { createPermissionQuestion } from './permission-question.ts';

export interface ConversationOptions extends CommandContext {
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  /** The session to go on with. */
  readonly resume?: string;
  /** Works on a turn that its process left. */
  readonly unfinished?: 'continue';
  /** What the model's name needs to be understood. */
  readonly models?: NonNullable<Options['models']>;
}

/** A session at the terminal: prompts go in, everything that comes of them is shown. */
export interface Conversation {
  /** Resolves when the turn that answers has ended and been shown. Rejects when the session cannot go on. */
  send(prompt: string): Promise<void>;
  /**
   * Aborts once a turn is at work or the conversation is over, so that nobody is asked for a prompt meanwhile: an open
   * question may set an earlier turn going again. Then wait for `settled`.
   */
  readonly idle: AbortSignal;
  /** Resolves when no turn is at work. Rejects when the session cannot go on. */
  settled(): Promise<void>;
  /** True when no prompt will be answered any more. */
  readonly over: boolean;
  readonly sessionId: string | undefined;
  interrupt(): void;
  /** Gives the session up; a turn at work is interrupted. */
  close(): Promise<void>;
}

export function openConversation(request: ChatRequest, options: ConversationOptions): Conversation {
  const { keyboard, paint, debug, say, resume, unfinished, models } = options;
  const cwd = process.cwd();
  const width = (): number => process.stdout.columns || 80;
  const write = (text: string): void => void process.stdout.write(text);
  const view = createConversationView({ write, paint, cwd, width: width() });
  const prompts = createMessageQueue();
  let turn: PromiseWithResolvers<void> | undefined;
  let working = new AbortController();
  let over = false;
  let sessionId: string | undefined;

  const begin = (): void => {
    turn ??= Promise.withResolvers();
    working.abort();
  };
  const end = (): void => {
    working = new AbortController();
    turn?.resolve();
    turn = undefined;
  };
  const held = createHeldMessages(view.show);
  const ask = createPermissionQuestion({ keyboard, write, paint, cwd, width });
  const messages = query({
    prompt: prompts,
    options: {
      ...queryOptions(request, say),
      ...(resume === undefined ? {} : { continue: false, resume }),
      ...(unfinished === undefined ? {} : { unfinished }),
      ...(models === undefined ? {} : { models }),
      includePartialMessages: true,
      async canUseTool(...call) {
        begin();
        await held.shown(call[2].toolUseID);
        using _ = held.hold();
        return await ask(...call);
      },
    },
  });
  if (unfinished !== undefined) begin();
  const following = follow(messages).finally(() => {
    over = true;
    working.abort();
  });
  // Its failure is for whoever waits next.
  following.catch(() => undefined);

  async function follow(lines: Query): Promise<void> {
    for await (const message of lines) {
      debug.write('message', message);
      sessionId = message.session_id ?? sessionId;
      held.show(message);
      if (message.type === 'result') end();
    }
  }

  async function settled(): Promise<void> {
    if (over) await following;
    else if (turn !== undefined) await Promise.race([turn.promise, following]);
  }

  return {
    get idle() {
      return working.signal;
    },
    get over() {
      return over;
    },
    get sessionId() {
      return sessionId;
    },
    settled,
    send(prompt) {
      begin();
      prompts.send(prompt);
      return settled();
    },
    interrupt() {
      messages.interrupt().catch((error: unknown) => debug.write('interrupt failed', error));
    },
    async close() {
      prompts.end();
      messages.close();
      await following.catch((error: unknown) => debug.write('error', error));
    },
  };
}
