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
  let loaded: Run | undefined;
  loading.then(
    (run) => (loaded = run),
    () => {},
  );
  /** How it was stopped before it was there, which is its end whatever stops it later. */
  let stopped: { readonly error: unknown } | undefined;
  const methods = Object.fromEntries(
    Object.keys(methodNames).map((name) => [
      name,
      async (...input: readonly unknown[]) => {
        // Each is called with the input that its own signature takes.
        const served = (await loading).methods as unknown as Record<string, (...input: readonly unknown[]) => unknown>;
        return await served[name]?.(...input);
      },
    ]),
  );
  return {
    async next() {
      const run = await loading;
      if (stopped === undefined) return await run.next();
      if (stopped.error !== undefined) throw stopped.error;
      return undefined;
    },
    async stop(...input) {
      if (loaded !== undefined) return await loaded.stop(...input);
      stopped ??= { error: input[0] };
      await (await loading.catch(() => undefined))?.stop(...input);
    },
    methods: methods as unknown as QueryMethods,
  };
}
