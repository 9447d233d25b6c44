export { createLocalSandbox, type LocalSandboxOptions } from './local-sandbox.ts';
export { endOrphanedCommands } from './supervisor/end-orphaned-commands.ts';
