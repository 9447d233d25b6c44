import { baseName } from './granted-code.ts';
import type { TouchedPath } from './judged-paths.ts';
import type { Policy } from './policy.ts';
import type { ShellCommand, ShellLine, ShellPath } from './shell/shell-line.ts';
import { allCommands } from './shell-rule.ts';
import { withoutTrailing } from './without-trailing.ts';

/** Devices that keep nothing of what is written to them and hold nothing to be read. */
const nothing = /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|fd\/\d+)$/;

const mostWords = 40;

/**
 * The files that a line opens, each with its command. Words of programs whose arguments nobody knows may be files too:
 * they are looked at where a rule denies or asks for some.
 */
export function pathsOfLine(line: ShellLine, policy: Policy): TouchedPath[] {
  const commands = allCommands(line);
  const opened = commands.flatMap((command) => {
    const paths = pathsOf(command, policy);
    return [...paths, ...landings(command, paths)];
  });
  const guessed = guardsPaths(policy) ? commands.flatMap(guessedPaths).slice(0, mostWords) : [];
  const possible = commands.flatMap(({ mayRun = [] }) =>
    allCommands({ commands: mayRun }).flatMap((command) => pathsOf(command, policy)),
  );
  return [...opened, ...[...guessed, ...possible].map((path) => ({ ...path, maybe: true as const }))];
}

function pathsOf(command: ShellCommand, { home }: Policy): TouchedPath[] {
  return command.paths.flatMap((path): TouchedPath[] => {
    const { access, fromHome, below, argument, repository } = path;
    if (path.path !== undefined && nothing.test(path.path)) return [];
    const rest = {
      access,
      command,
      ...(argument === true ? {} : { redirect: true as const }),
      ...(repository === true ? { repository } : {}),
    };
    if (path.path !== undefined) return [{ ...rest, ...treeOf(path), written: path.path }];
    if (fromHome !== undefined) {
      return [{ ...rest, ...treeOf(path), written: home === undefined ? undefined : `${home}/${fromHome}` }];
    }
    // Short of links that lie there: what the names lead to is not known, and what a rule forbids may be among them.
    return below === undefined
      ? [{ ...rest, written: undefined }]
      : [{ ...rest, written: below, tree: true, within: true }];
  });
}

const copying = new Set(['cp', 'mv', 'ln', 'install', 'rsync', 'scp']);

/** What is copied into a folder lies there under its own name. Whether it is a folder is not known: it may be. */
function landings({ words }: ShellCommand, paths: readonly TouchedPath[]): TouchedPath[] {
  if (!copying.has(baseName(words[0] ?? ''))) return [];
  const names = paths.flatMap(({ access, written }) => (access === 'read' && written ? [lastName(written)] : []));
  const folders = paths.filter(({ access, redirect, written }) => access === 'write' && !redirect && written);
  return folders.flatMap((folder) => names.map((name) => ({ ...folder, written: `${folder.written ?? ''}/${name}` })));
}

function lastName(path: string): string {
  return baseName(withoutTrailing(path, '/'));
}

function treeOf({ tree }: ShellPath): { readonly tree?: true } {
  return tree === true ? { tree } : {};
}

function guardsPaths({ sources }: Policy): boolean {
  return sources.some(({ rules }) =>
    rules.some(
      ({ behavior, content, toolName }) =>
        behavior !== 'allow' &&
        content !== undefined &&
        /^(?:Read|Edit|Write|MultiEdit|NotebookRead|NotebookEdit)$/.test(toolName),
    ),
  );
}

/** The words that look like a path, or that hold one behind `=` or `@`. */
function guessedPaths(command: ShellCommand): TouchedPath[] {
  if (command.readsOnly || command.paths.some(({ argument }) => argument === true)) return [];
  return command.words.slice(1).flatMap((word) => {
    const written = word?.replace(/^-{1,2}[\w-]*=/, '').replace(/^[@<>]+/, '');
    if (written === undefined || written === '' || written.startsWith('-') || /[\s;|&]/.test(written)) return [];
    return [
      { written, access: 'read' as const, command },
      { written, access: 'write' as const, command },
    ];
  });
}
