import { parse } from 'unbash';
import type { CodeEffect } from './command-effect.ts';
import { lineFacts } from './line-facts.ts';
import type { Scope } from './line-scope.ts';
import { mostDepth } from './line-scope.ts';
import type { ShellCommand } from './shell-line.ts';
import { walkScript } from './walk-script.ts';

/** Takes code in the shell's language apart that a shell of its own runs. */
export function codeEffect(code: string, scope: Scope): CodeEffect {
  const commands: ShellCommand[] = [];
  if (scope.depth > mostDepth) {
    scope.budget.spent ??= `shells start others more than ${mostDepth} deep`;
    return { commands, unclear: scope.budget.spent, changesShell: true };
  }
  const script = parse(code);
  const facts = lineFacts(script);
  const unclear = walkScript(script, { ...scope, facts, direct: true, piped: undefined }, commands);
  const changesShell = facts.functions.size > 0 || facts.unsettled || facts.moves || facts.values.size > 0;
  return unclear === undefined ? { commands, changesShell } : { commands, changesShell, unclear };
}
