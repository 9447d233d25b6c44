import type { SDKMessage, SDKResultMessage } from '@rondo/protocol';
import type { Options } from '../options/options.ts';
import { query, type Query } from '../query.ts';
import { promptStream, type PromptStream } from './prompt-stream.ts';

/** A streaming query whose test speaks, and waits for what comes of it. */
export interface Conversation {
  readonly query: Query;
  readonly prompt: PromptStream;
  /** What has come so far. */
  readonly lines: readonly SDKMessage[];
  /** Says this, and resolves with the result of the turn. */
  ask(text: string): Promise<SDKResultMessage>;
  /** Resolves with the first line of which this holds, also where it has come already. */
  until(holds: (line: SDKMessage) => boolean): Promise<SDKMessage>;
  /** Ends the prompt, and resolves with all lines once the query has ended. */
  end(): Promise<readonly SDKMessage[]>;
}

export function conversation(options: Options): Conversation {
  const prompt = promptStream();
  return follow(query({ prompt, options }), prompt);
}

/** The same over a query that exists already. */
export function follow(running: Query, prompt: PromptStream): Conversation {
  const lines: SDKMessage[] = [];
  let told = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const line of running) {
      lines.push(line);
      told.resolve();
      told = Promise.withResolvers();
    }
  })();
  reading.catch(() => {});

  async function until(holds: (line: SDKMessage) => boolean, from = 0): Promise<SDKMessage> {
    for (;;) {
      const found = lines.slice(from).find(holds);
      if (found !== undefined) return found;
      const isOver = await Promise.race([told.promise.then(() => false), reading.then(() => true)]);
      if (isOver && !lines.slice(from).some(holds)) throw new Error('the query ended before such a line');
    }
  }

  return {
    query: running,
    prompt,
    lines,
    until: (holds) => until(holds),
    async ask(text) {
      const from = lines.length;
      prompt.say(text);
      return (await until((line) => line.type === 'result', from)) as SDKResultMessage;
    },
    async end() {
      prompt.end();
      await reading;
      return lines;
    },
  };
}
