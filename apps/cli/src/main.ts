import { runCommand } from './command/run-command.ts';

process.exitCode = await runCommand(process.argv.slice(2));
