import type { SDKUserMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Options } from '../options/options.ts';
import type { OpenRun } from './open-run.ts';
import type { QueryMethods } from './query-methods.ts';

export interface LocalMethodsOptions {
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options: Options;
  readonly opening: Promise<OpenRun>;
  readonly interrupt: QueryMethods['interrupt'];
  readonly say: (stream: AsyncIterable<SDKUserMessage>) => Promise<void>;
}

/** The methods of a query whose session is at work in this process. */
export function localMethods({ prompt, options, opening, interrupt, say }: LocalMethodsOptions): QueryMethods {
  return {
    interrupt,
    streamInput: say,
    async applyFlagSettings(settings: Readonly<Record<string, unknown>>) {
      refuseUnchangeable(prompt, settings);
      await (await opening).applyFlagSettings(settings);
    },
    async supportedModels() {
      const { supportedModels } = await import('../settings/supported-models.ts');
      return await supportedModels(options);
    },
    rewindFiles: notYet('rewindFiles'),
    setPermissionMode: notYet('setPermissionMode'),
    setModel: notYet('setModel'),
    setMaxThinkingTokens: notYet('setMaxThinkingTokens'),
    initializationResult: notYet('initializationResult'),
    reinitialize: notYet('reinitialize'),
    supportedCommands: notYet('supportedCommands'),
    supportedAgents: notYet('supportedAgents'),
    mcpServerStatus: async () => await (await opening).servers.status(),
    accountInfo: notYet('accountInfo'),
    reconnectMcpServer: async (name) => await (await opening).servers.reconnect(name),
    toggleMcpServer: async (name, enabled) => await (await opening).servers.toggle(name, enabled),
    setMcpServers: async (servers) => await (await opening).servers.set(servers),
    stopTask: notYet('stopTask'),
  };
}

function refuseUnchangeable(prompt: LocalMethodsOptions['prompt'], settings: Readonly<Record<string, unknown>>): void {
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

function notYet(name: keyof QueryMethods) {
  return (): Promise<never> =>
    Promise.reject(
      new RondoError('input.invalid', `query.${name}() is not served by this version yet.`, {
        details: { method: name },
      }),
    );
}
