import type { Assignment, Command, SyntaxNode } from 'unbash';
import { commandOf } from './command-of.ts';
import { expansionHazard } from './expansion-hazard.ts';
import type { Scope } from './line-scope.ts';
import { allOf, anyFolder, type Folders, foldersBehind } from './open-paths.ts';
import type { ShellAssignment, ShellCommand } from './shell-line.ts';
import { redirectEffect } from './shell-redirects.ts';
import { argumentWord, readWord, type ShellWord } from './shell-word.ts';
import { type Ends, endingAt } from './shell-walk.ts';

/**
 * Puts a simple command, and behind it what its substitutions run, into `commands`.
 *
 * @param substitutions walks what nodes run by substitution, true where not all of it only reads
 */
export function walkCommand(
  node: Command,
  scope: Scope,
  commands: ShellCommand[],
  substitutions: (nodes: readonly SyntaxNode[]) => boolean,
): Ends {
  const { name, args } = node;
  const words = name === undefined ? [] : [readWord(name), ...args.map(argumentWord)];
  const assigned = node.prefix.filter((part) => part.type === 'Assignment');
  const redirects = node.redirects;
  const { paths, input, unclear } = redirectEffect(redirects, scope.folders);
  const parts: SyntaxNode[] = [...assigned, ...(name === undefined ? [] : [name]), ...args, ...redirects];
  const simple =
    args.every((argument, index) => argument.type === 'Word' && words[index + 1]?.scripts.length === 0) &&
    words[0]?.scripts.length === 0 &&
    assigned.length === 0 &&
    redirects.length === 0;
  const place = commands.length;
  const changes = simple ? false : substitutions(parts);
  const command = commandOf(
    {
      words,
      assignments: assigned.map(assignmentOf),
      text: [...assigned, ...words].map(({ text }) => text).join(' '),
      paths,
      input,
      unclear: unclear ?? expansionHazard(parts, scope.facts),
      changes,
    },
    scope,
  );
  commands.splice(place, 0, command);
  return endsOf(words, scope);
}

function assignmentOf({ name, value, append, index }: Assignment): ShellAssignment {
  const known = value.type === 'Word' && append !== true && index === undefined;
  return { name, value: known ? readWord(value).value : undefined };
}

function endsOf([name, ...args]: readonly ShellWord[], scope: Scope): Ends {
  const { folders, facts } = scope;
  if (!facts.moves || name === undefined) return endingAt(folders);
  if (name.value === undefined || facts.functions.has(name.value)) return endingAt(anyFolder);
  const [first, ...rest] = name.value === 'builtin' || name.value === 'command' ? args : [name, ...args];
  switch (first?.value) {
    case 'cd':
    case 'pushd':
      return { done: folderNamed(rest, folders), failed: folders };
    case 'popd':
    case 'eval':
    case 'source':
    case '.':
      return endingAt(anyFolder);
    default:
      return first !== undefined && first.value === undefined
        ? endingAt(allOf([...folders, undefined]))
        : endingAt(folders);
  }
}

function folderNamed(args: readonly ShellWord[], folders: Folders): Folders {
  const [first, ...rest] = args;
  if (first?.value === '--' || first?.value === '-L') return folderNamed(rest, folders);
  const isFlag = first?.prefix.startsWith('-') === true && first.value !== '-';
  return isFlag || rest.length > 0 || first?.splits === true ? anyFolder : foldersBehind(folders, first);
}
