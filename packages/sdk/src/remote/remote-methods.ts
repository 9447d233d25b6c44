import type {
  ModelInfo,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKUserMessage,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { InterruptOptions, QueryMethods } from '../run/query-methods.ts';
import { wireModelName } from '../message/wire-model-name.ts';
import type { RemoteRun } from './open-remote-run.ts';

export interface RemoteMethodsOptions {
  readonly opening: Promise<RemoteRun>;
  readonly interrupt: (options?: InterruptOptions) => Promise<SDKControlInterruptResponse>;
  readonly say: (stream: AsyncIterable<SDKUserMessage>) => Promise<void>;
}

/** The methods of a query whose session is at work at a host. What is the host's to decide is refused by name. */
export function remoteMethods({ opening, interrupt, say }: RemoteMethodsOptions): QueryMethods {
  const catalog = async () => (await opening).client.request('catalog/read', {});

  async function supportedModels(): Promise<ModelInfo[]> {
    const { models } = await catalog();
    return models.map(({ name }) => ({
      value: name,
      resolvedModel: wireModelName(name),
      displayName: name,
      description: '',
    }));
  }

  async function offered(): Promise<SDKControlInitializeResponse> {
    const { agent } = await opening;
    const [models, { commands }] = await Promise.all([supportedModels(), catalog()]);
    return {
      commands: commands.map(({ name, description }) => ({ name, description, argumentHint: '' })),
      agents: agent.subagents.map(({ name, description, model }) => ({ name, description, model })),
      output_style: 'default',
      available_output_styles: ['default'],
      models,
      account: {},
    };
  }

  let first: Promise<SDKControlInitializeResponse> | undefined;
  const initial = () => (first ??= offered());

  return {
    interrupt,
    streamInput: say,
    async setModel(model) {
      await (await opening).configure({ model: model ?? null });
    },
    async applyFlagSettings(settings) {
      const other = Object.keys(settings).find((key) => key !== 'model' && Reflect.get(settings, key) !== undefined);
      if (other !== undefined) throw hosts('applyFlagSettings', other);
      const { model } = settings;
      if (model !== undefined) await (await opening).configure({ model });
    },
    initializationResult: initial,
    async reinitialize() {
      await (await opening).askAgain();
      return await offered();
    },
    supportedCommands: async () => (await initial()).commands,
    supportedModels: async () => (await initial()).models,
    supportedAgents: async () => (await initial()).agents,
    accountInfo: async () => (await initial()).account,
    async mcpServerStatus() {
      const { client, session } = await opening;
      const { servers } = await client.request('mcp/status', { sessionId: session.id });
      return servers.map(({ name, status, serverInfo, error, tools }) => ({
        name,
        status: statusOf(status),
        ...(serverInfo === undefined ? {} : { serverInfo }),
        ...(error === undefined ? {} : { error }),
        tools: tools.map((tool) => ({ name: tool })),
      }));
    },
    async reconnectMcpServer(name) {
      const { client, session } = await opening;
      await client.request('mcp/reconnect', { sessionId: session.id, server: name });
    },
    async toggleMcpServer(name, enabled) {
      const { client, session } = await opening;
      await client.request('mcp/toggle', { sessionId: session.id, server: name, enabled });
    },
    setMcpServers: refused('setMcpServers'),
    setPermissionMode: refused('setPermissionMode'),
    setMaxThinkingTokens: refused('setMaxThinkingTokens'),
    rewindFiles: refused('rewindFiles'),
    stopTask: refused('stopTask'),
  };
}

const statuses = ['connected', 'failed', 'needs-auth', 'pending', 'disabled'] as const;

/** A status that is newer than this version is one that is not settled. */
function statusOf(status: string): (typeof statuses)[number] {
  return statuses.find((known) => known === status) ?? 'pending';
}

function refused(method: keyof QueryMethods) {
  return (): Promise<never> => Promise.reject(hosts(method));
}

function hosts(method: keyof QueryMethods, what?: string): RondoError {
  const subject = what === undefined ? `query.${method}()` : `query.${method}({ ${what} })`;
  return new RondoError('input.invalid', `${subject} is for the host to decide, with options.url.`, {
    details: { method },
  });
}
