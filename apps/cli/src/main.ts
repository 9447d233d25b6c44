import { runCommand } from './command/run-command.ts';

/** As Node says it of a program that still waits when there is nothing left to wait for. Unless the command ends otherwise. */
const unsettled = 13;

process.exitCode = unsettled;
void runCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
