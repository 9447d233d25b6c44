import type { PermissionMode, SDKControlInitializeResponse, SDKUserMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Options } from '../options/options.ts';
import type { LocalRun } from './open-run.ts';
import type { QueryMethods } from './query-methods.ts';
import type { RunningMethods } from './start-run.ts';

export interface LocalMethodsOptions extends RunningMethods<LocalRun> {
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options: Options;
}

/** The methods of a query whose session is at work in this process. */
export function localMethods({ prompt, options, opening, interrupt, say }: LocalMethodsOptions): QueryMethods {
  let first: Promise<SDKControlInitializeResponse> | undefined;
  const initial = () => (first ??= offered(options));
  const servers = async () => (await opening).binding.servers;
  const steering = async (method: keyof QueryMethods) => {
    needsStream(prompt, method);
    return (await opening).binding.steering;
  };

  return {
    streamInput: say,
    // The reference keeps it to streams; to stop one message too can do no harm, and its result says how it ended.
    interrupt,
    async setPermissionMode(mode) {
      const { inOrder } = await steering('setPermissionMode');
      await inOrder(async () => await setMode(await opening, mode));
    },
    async setModel(model) {
      await (await steering('setModel')).setModel(model);
    },
    async setMaxThinkingTokens(tokens) {
      await (await opening).binding.steering.setMaxThinkingTokens(tokens);
    },
    async applyFlagSettings(settings) {
      await (await steering('applyFlagSettings')).applyFlagSettings(settings);
    },
    initializationResult: initial,
    async reinitialize() {
      const { askAgain, binding, projection } = await opening;
      askAgain();
      const goesOn = options.resume !== undefined || options.continue === true;
      return {
        ...(await offered(options, binding.steering.modelName())),
        current_permission_mode: goesOn ? projection.state.permissionMode : binding.livePolicy.current().mode,
      };
    },
    supportedCommands: async () => (await initial()).commands,
    supportedModels: async () => (await initial()).models,
    supportedAgents: async () => (await initial()).agents,
    accountInfo: async () => (await initial()).account,
    mcpServerStatus: async () => await (await servers()).status(),
    reconnectMcpServer: async (name) => await (await servers()).reconnect(name),
    toggleMcpServer: async (name, enabled) => await (await servers()).toggle(name, enabled),
    setMcpServers: async (wanted) => await (await servers()).set(wanted),
    async stopTask() {
      // No session has tasks in the background yet; a task that is not there needs no stopping.
      await opening;
    },
    rewindFiles: () => Promise.reject(noCheckpoints(options)),
  };
}

/** Loaded when somebody asks: most queries never do. */
async function offered(options: Options, model?: string): Promise<SDKControlInitializeResponse> {
  const { initializeResult } = await import('./initialize-result.ts');
  return await initializeResult(options, model);
}

async function setMode({ binding, session }: LocalRun, mode: PermissionMode): Promise<void> {
  const { checkPermissionMode } = await import('../permissions/check-permission-mode.ts');
  checkPermissionMode(binding.livePolicy.current(), mode);
  await session.update({ permissionMode: mode });
}

/** The seed: with one message nothing comes after that could be otherwise. */
function needsStream(prompt: LocalMethodsOptions['prompt'], method: keyof QueryMethods): void {
  if (typeof prompt !== 'string') return;
  const message = `query.${method}() needs a streaming prompt: with one message, use the options, and options.abortController or close() to stop it.`;
  throw new RondoError('input.invalid', message, { details: { method } });
}

function noCheckpoints({ enableFileCheckpointing }: Options): RondoError {
  const why =
    enableFileCheckpointing === true
      ? 'this version keeps no former state of files'
      : 'it needs options.enableFileCheckpointing, which this version does not serve yet';
  return new RondoError('input.invalid', `query.rewindFiles() cannot give files back what they were: ${why}.`, {
    details: { method: 'rewindFiles' },
  });
}
