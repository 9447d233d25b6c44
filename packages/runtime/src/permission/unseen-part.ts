import type { SourcedRule } from './judged-call.ts';
import type { ShellCommand, ShellLine } from './shell/shell-line.ts';
import { allCommands, allowsCommand } from './shell-rule.ts';
import { writtenAndRun } from './written-and-run.ts';

/**
 * The first command that runs code which stands in the line and is not taken apart, by itself or by the variables it is
 * given, and that no rule for commands names; with why. A deny rule may be about that code. What files hold is not of the
 * line, unless the line writes them.
 */
export function unseenPart(rules: readonly SourcedRule[], line: ShellLine): string | undefined {
  const commands = allCommands(line);
  const isNamed = (command: ShellCommand): boolean =>
    rules.some(({ rule }) => rule.behavior === 'allow' && rule.content !== undefined && allowsCommand(rule, command));
  const unseen = commands.find(
    (command) =>
      ((command.opaque !== undefined && command.fromFiles !== true) ||
        (command.risky !== undefined && command.riskyPlaces !== true)) &&
      !isNamed(command),
  );
  if (unseen !== undefined) return unseen.opaque ?? unseen.risky;
  const written = writtenAndRun(commands);
  if (written === undefined || isNamed(written.command)) return undefined;
  return `it runs ${written.name}, which the line itself writes`;
}

/** Whether nothing that the line runs is known to do more than read: it may run again, or beside others. */
export function onlyReadsLine(line: ShellLine): boolean {
  return (
    line.commands.length > 0 &&
    line.isForeign !== true &&
    unclearPart(line) === undefined &&
    line.commands.every(({ readsOnly: reads }) => reads)
  );
}

/** What keeps the line from being understood; undefined for one that is. */
export function unclearPart(line: ShellLine): string | undefined {
  return line.unclear ?? allCommands(line).find(({ unclear }) => unclear !== undefined)?.unclear;
}
