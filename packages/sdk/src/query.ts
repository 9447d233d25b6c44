import type { SDKControlInterruptResponse, SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { checkOptions } from './options/check-options.ts';
import type { Options } from './options/options.ts';
import { noteFor } from './run/note-for.ts';
import { startRun, type Run } from './run/start-run.ts';
import type { Settings } from './settings/settings.ts';
import type { ModelInfo } from './settings/supported-models.ts';

/** The methods of the reference that this version does not serve. Calling one rejects and says so. */
const laterMethods = [
  'rewindFiles',
  'setPermissionMode',
  'setModel',
  'setMaxThinkingTokens',
  'initializationResult',
  'reinitialize',
  'supportedCommands',
  'supportedAgents',
  'mcpServerStatus',
  'accountInfo',
  'reconnectMcpServer',
  'toggleMcpServer',
  'setMcpServers',
  'stopTask',
] as const;

type LaterMethods = {
  readonly [Name in (typeof laterMethods)[number]]: (...parameters: readonly unknown[]) => Promise<never>;
};

/** The messages of an agent at work, and the ways to steer it. */
export interface Query extends AsyncGenerator<SDKMessage, void>, LaterMethods {
  /**
   * Stops the turn at work; the session goes on. Resolves once the turn has been told, with the uuids of messages that
   * wait and will still run.
   */
  interrupt(): Promise<SDKControlInterruptResponse>;
  /**
   * Changes settings of a session at work, in the layer of `options.settings`: each key replaces all that the last call, or
   * the option, said of it, and null takes it out. Counts for the next call. Only of a streaming prompt; only
   * `permissions` is served by this version, and the mode stays what it is.
   * @throws RondoError `input.invalid` for what cannot be changed, or not be read as meant.
   */
  applyFlagSettings(settings: { [Key in keyof Settings]?: Settings[Key] | null }): Promise<void>;
  /** Sends further messages. The query ends when every stream has ended and all work is done. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** What `options.model` may be: the short names, and the models of every vendor whose key is set. */
  supportedModels(): Promise<ModelInfo[]>;
  /** Stops everything. The iteration ends without an error once the turn has stopped. */
  close(): void;
}

export interface QueryParameters {
  /** One prompt, or messages as they come. A stream keeps the session open until it ends. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
}

/**
 * Sets an agent to work and yields what it says and does. Work begins at once, in this process.
 *
 * A turn that failed ends in a `result` with `is_error: true`, after which the iteration ends as it does after a good
 * one: read the result. What keeps a turn from being started (no such session, no key, a wrong option) is thrown.
 * Leaving the loop stops the turn and waits until it has stopped.
 * @throws RondoError `input.invalid` at once for an option that cannot be served as given.
 */
export function query({ prompt, options = {} }: QueryParameters): Query {
  if (typeof prompt !== 'string' && typeof prompt?.[Symbol.asyncIterator] !== 'function') {
    throw new RondoError('input.invalid', 'prompt must be a text, or an async iterable of user messages.');
  }
  if (typeof prompt === 'string' && prompt.trim() === '')
    throw new RondoError('input.invalid', 'prompt is empty: it says nothing to work on.');
  for (const note of checkOptions(options)) noteFor(options)(note);
  const run = startRun(prompt, options);
  return Object.assign(linesOf(run), {
    interrupt: () => run.interrupt(),
    async applyFlagSettings(settings: Readonly<Record<string, unknown>>) {
      refuseUnchangeable(prompt, settings);
      await run.applyFlagSettings(settings);
    },
    streamInput: (stream: AsyncIterable<SDKUserMessage>) => run.say(stream),
    async supportedModels() {
      const { supportedModels } = await import('./settings/supported-models.ts');
      return await supportedModels(options);
    },
    close: () => void run.stop(),
    ...methodsToCome(),
  });
}

async function* linesOf(run: Run): AsyncGenerator<SDKMessage, void> {
  try {
    for (;;) {
      const line = await run.next();
      if (line === undefined) return;
      yield line;
    }
  } finally {
    await run.stop();
  }
}

function refuseUnchangeable(prompt: QueryParameters['prompt'], settings: Readonly<Record<string, unknown>>): void {
  const said = Object.keys(settings).filter((key) => settings[key] !== undefined);
  const other = said.find((key) => key !== 'permissions');
  const problem =
    typeof prompt === 'string'
      ? 'query.applyFlagSettings() needs a streaming prompt: with one message the settings are those of the options.'
      : other === undefined
        ? undefined
        : `query.applyFlagSettings(): ${other} cannot be changed while a session is at work by this version; permissions can.`;
  if (problem !== undefined)
    throw new RondoError('input.invalid', problem, { details: { method: 'applyFlagSettings' } });
}

function methodsToCome(): LaterMethods {
  const reject = (name: string) => () =>
    Promise.reject(
      new RondoError('input.invalid', `query.${name}() is not served by this version yet.`, {
        details: { method: name },
      }),
    );
  return Object.fromEntries(laterMethods.map((name) => [name, reject(name)])) as LaterMethods;
}
