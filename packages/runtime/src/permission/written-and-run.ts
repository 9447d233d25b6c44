import { baseName } from './granted-code.ts';
import type { ShellCommand, ShellPath } from './shell/shell-line.ts';

/** A command that runs a file, and the file, as far as it is named. */
export interface RunFile {
  readonly command: ShellCommand;
  readonly name: string;
}

/** What build tools and package managers read to know what to run. */
const projectFile =
  /^(?:(?:GNU|BSD)?[Mm]akefile.*|.*\.(?:mk|mak|ninja|gradle|kts|sbt|bazel|bzl)|package\.json|\.(?:npm|yarn|pnp)rc.*|\.?[Jj]ustfile|[Tt]askfile\..*|[Rr]akefile|[Dd]ockerfile|Cargo\.toml|config\.toml|build\.rs|go\.mod|conftest\.py|setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|pom\.xml|build|WORKSPACE|.*\.config\.[cm]?[jt]s|\.pre-commit-config\.ya?ml|deno\.jsonc?)$/;

/** What git runs by itself. */
const hook = /(?:^|\/)(?:\.git\/(?:hooks\/|config$)|\.husky\/|\.gitconfig$)/;

/**
 * The first command that runs a file which another one of the line writes: by its name, whatever folder the line goes to
 * in between; a place that only running tells may be any file that is run behind it.
 */
export function writtenAndRun(commands: readonly ShellCommand[]): RunFile | undefined {
  const writes = commands.flatMap((command, index) =>
    command.paths.filter(isWrite).map((path) => ({ command, index, path, place: placeOf(path) })),
  );
  if (writes.length === 0) return undefined;
  for (const [index, command] of commands.entries()) {
    const others = writes.filter((write) => write.command !== command);
    const files = filesRun(command);
    for (const name of files) {
      const isIt = others.some(({ path, place, index: at }) =>
        place === undefined ? at < index && mayBe(path, name) : isSameFile(place, name),
      );
      if (isIt) return { command, name };
    }
    const isGit = baseName(command.words[0] ?? '') === 'git';
    if (files.length > 0 || (command.fromFiles !== true && !isGit)) continue;
    const recipe = others.find(({ place = '' }) => (isGit ? hook.test(place) : projectFile.test(baseName(place))));
    if (recipe?.place !== undefined) return { command, name: recipe.place };
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

/** The files that the line reads while it writes some: programs among them may get another name. */
export function filesRead(commands: readonly ShellCommand[]): readonly string[] {
  if (!commands.some(({ paths }) => paths.some(isWrite))) return [];
  return commands.flatMap(({ paths }) =>
    paths.flatMap((path) => (path.access === 'read' ? [baseName(placeOf(path) ?? '')] : [])),
  );
}

function placeOf({ path, fromHome }: ShellPath): string | undefined {
  return path ?? fromHome;
}

function isWrite(path: ShellPath): boolean {
  return path.access === 'write' && !/^\/dev\/(?:null|tty|stdout|stderr|fd\/)/.test(path.path ?? '');
}

/** `q.js` for `node q`, `q.py` and `q/__main__.py` for `python -m q`. */
function isSameFile(written: string, run: string): boolean {
  const [file, name] = [baseName(written), baseName(run)];
  if (file === name) return true;
  const stem = /^(.+)\.(?:py|[cm]?[jt]sx?|rb|pl|php|lua|sh|bash|R|jl|java|go|rs|kts?|scala|groovy|exs?|cs|swift)$/.exec(
    file,
  )?.[1];
  if (stem === undefined) return false;
  const last = name.split('.').at(-1);
  return (
    stem === name ||
    stem === last ||
    (/^(?:__main__|__init__|index|main|mod)$/.test(stem) && baseName(written.slice(0, -file.length - 1)) === last)
  );
}

/** The program where it is named by its place, the scripts that it is given, and what else may name one. */
function filesRun({ words, spelled, fromFiles, paths }: ShellCommand): readonly string[] {
  const [name] = words;
  const program =
    name?.includes('/') === true ? [name] : name === undefined && spelled[0] !== undefined ? [spelled[0]] : [];
  if (fromFiles !== true) return program;
  const scripts = paths.flatMap((path) => {
    const place = placeOf(path);
    return path.access === 'read' && path.argument === true && place !== undefined ? [place] : [];
  });
  const module = words.indexOf('-m') + 1;
  const named = module > 0 ? words[module] : undefined;
  return [...program, ...scripts, ...(named === undefined ? [] : [named])];
}

/** Of a place that is not known, the folder may be. */
function mayBe({ below }: ShellPath, name: string): boolean {
  return below === undefined || below === '.' || name.startsWith(`${below}/`);
}
