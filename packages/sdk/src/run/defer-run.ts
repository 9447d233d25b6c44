import type { QueryMethods } from './query-methods.ts';
import type { Run } from './start-run.ts';

const methodNames: Readonly<Record<keyof QueryMethods, true>> = {
  accountInfo: true,
  applyFlagSettings: true,
  initializationResult: true,
  interrupt: true,
  mcpServerStatus: true,
  reconnectMcpServer: true,
  reinitialize: true,
  rewindFiles: true,
  setMaxThinkingTokens: true,
  setMcpServers: true,
  setModel: true,
  setPermissionMode: true,
  stopTask: true,
  streamInput: true,
  supportedAgents: true,
  supportedCommands: true,
  supportedModels: true,
  toggleMcpServer: true,
};

/** A run whose code is still being loaded. All that is asked of it meanwhile is done once it is there. */
export function deferRun(loading: Promise<Run>): Run {
  loading.catch(() => {});
  const methods = Object.fromEntries(
    Object.keys(methodNames).map((name) => [
      name,
      async (...input: readonly unknown[]) => {
        // Each is called with the input that its own signature takes.
        const loaded = (await loading).methods as unknown as Record<string, (...input: readonly unknown[]) => unknown>;
        return await loaded[name]?.(...input);
      },
    ]),
  );
  return {
    next: async () => await (await loading).next(),
    stop: async (...input) => {
      await (await loading.catch(() => undefined))?.stop(...input);
    },
    methods: methods as unknown as QueryMethods,
  };
}
