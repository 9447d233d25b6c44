export { createLocalSandbox } from './local-sandbox.ts';
export type { LocalSandboxOptions } from './local-sandbox-options.ts';
export { endOrphanedCommands } from './supervisor/end-orphaned-commands.ts';
export { runProcess } from './supervisor/run-process.ts';
export type { ProcessOutcome, RunProcessOptions } from './supervisor/run-process.ts';
export type { Program } from './supervisor/start-process.ts';
export type { OutputStream, SupervisedExit } from './supervisor/supervise-process.ts';
