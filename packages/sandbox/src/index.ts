export { createLocalSandbox } from './local-sandbox.ts';
export type { LocalSandboxOptions } from './local-sandbox-options.ts';
export { endOrphanedCommands } from './supervisor/end-orphaned-commands.ts';
