import { baseName } from './granted-code.ts';
import type { ShellCommand, ShellPath } from './shell/shell-line.ts';

/** A command that runs a file, and the file, as far as it is named. */
export interface RunFile {
  readonly command: ShellCommand;
  readonly name: string;
}

/** What build tools and package managers read to know what to run. */
const projectFile =
  /^(?:(?:GNU|BSD)?[Mm]akefile|.*\.(?:mk|mak|ninja|gradle|kts|sbt|bazel|bzl)|package\.json|\.(?:npm|yarn|pnp)rc.*|\.?[Jj]ustfile|[Tt]askfile\..*|[Rr]akefile|[Dd]ockerfile|Cargo\.toml|build\.rs|go\.mod|conftest\.py|setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|pom\.xml|build|WORKSPACE|.*\.config\.[cm]?[jt]s|\.pre-commit-config\.ya?ml|deno\.jsonc?)$/;

/**
 * The first command that runs a file which another one of the line writes: by its name, whatever folder the line goes to
 * in between; a place that only running tells may be any file that is run behind it.
 */
export function writtenAndRun(commands: readonly ShellCommand[]): RunFile | undefined {
  const writes = commands.flatMap((command, index) =>
    command.paths.filter(isWrite).map((path) => ({ command, index, path })),
  );
  if (writes.length === 0) return undefined;
  for (const [index, command] of commands.entries()) {
    const files = filesRun(command);
    if (files.length === 0 && command.fromFiles !== true) continue;
    const others = writes.filter((write) => write.command !== command);
    for (const name of files) {
      const isIt = others.some(({ path, index: at }) =>
        path.path === undefined ? at < index && mayBe(path, name) : baseName(path.path) === baseName(name),
      );
      if (isIt) return { command, name };
    }
    const recipe = others.find(({ path: { path } }) => files.length === 0 && projectFile.test(baseName(path ?? '')));
    if (recipe?.path.path !== undefined) return { command, name: recipe.path.path };
  }
  return undefined;
}

/** Whether the line writes a file and runs files: what it writes may be run, though no name tells so. */
export function writesAndRuns(commands: readonly ShellCommand[]): boolean {
  return (
    commands.some(({ paths }) => paths.some(isWrite)) &&
    commands.some((command) => command.fromFiles === true || filesRun(command).length > 0)
  );
}

function isWrite({ access, path, fromHome }: ShellPath): boolean {
  return access === 'write' && fromHome === undefined && !/^\/dev\/(?:null|tty|stdout|stderr|fd\/)/.test(path ?? '');
}

/** The program where it is named by its place, and the scripts that it is given. */
function filesRun({ words, spelled, fromFiles, paths }: ShellCommand): readonly string[] {
  const [name] = words;
  const program =
    name?.includes('/') === true ? [name] : name === undefined && spelled[0] !== undefined ? [spelled[0]] : [];
  if (fromFiles !== true) return program;
  const scripts = paths.flatMap(({ access, argument, path }) =>
    access === 'read' && argument === true && path !== undefined ? [path] : [],
  );
  return [...program, ...scripts];
}

/** Of a place that is not known, the folder may be. */
function mayBe({ below }: ShellPath, name: string): boolean {
  return below === undefined || below === '.' || name.startsWith(`${below}/`);
}
