import { riskyPrefixes, riskyVariables } from './risky-variables.ts';
import { interpreters } from './interpreter-programs.ts';
import { packageManagers, projectRunners } from './project-programs.ts';
import { gitReads } from './git-commands.ts';
import { ownPrograms } from './program-named.ts';
import { readingPrograms } from './reading-programs.ts';
import { otherWrappers, wrappingPrograms } from './wrapping-programs.ts';

/** What the analysis knows of programs, by the tables that it works from: for documentation and for whoever explains. */
export interface ShellTables {
  /** Run unasked with flags that only read. */
  readonly reading: readonly string[];
  /** Of git. */
  readonly gitReading: readonly string[];
  /** Nothing but what they run: who allows that allows these. */
  readonly passing: readonly string[];
  /** They run a command otherwise: as somebody else, elsewhere, watched. What they run is judged, and they are. */
  readonly wrapping: readonly string[];
  /** They run others in ways that are not read: always asked about. */
  readonly unread: readonly string[];
  /** They run code that nobody reads: a rule that names them grants it. */
  readonly opaque: readonly string[];
  /** No rule that leaves them out covers a command that sets them. */
  readonly riskyVariables: readonly string[];
  readonly riskyPrefixes: readonly string[];
}

/** Those of `ownPrograms` that start others, by whether they do nothing else. */
const passing = 'sh bash dash zsh fish ksh env xargs parallel eval trap mapfile'.split(' ');
const wrapping = 'find fd su runuser ssh mosh flock script git docker podman kubectl tar rsync scp'.split(' ');

export function shellTables(): ShellTables {
  const own = new Set(ownPrograms.flatMap(({ names }) => names.split(' ')));
  const names = (rows: readonly { readonly names: string }[]): readonly string[] =>
    rows.flatMap((row) => row.names.split(' '));
  return {
    reading: [...names(readingPrograms), 'find', 'fd', 'sed', 'awk', 'test', '[']
      .filter((name) => name !== ':')
      .toSorted(),
    gitReading: names(gitReads).toSorted(),
    passing: [
      ...names(wrappingPrograms.filter(({ passes }) => passes)),
      ...passing.filter((name) => own.has(name)),
    ].toSorted(),
    wrapping: [
      ...names(wrappingPrograms.filter(({ passes }) => !passes)),
      ...wrapping.filter((name) => own.has(name)),
    ].toSorted(),
    unread: otherWrappers.toSorted(),
    opaque: [
      ...new Set([...interpreters, ...projectRunners, ...packageManagers, 'npx', 'bunx', 'pnpx', 'uvx']),
    ].toSorted(),
    riskyVariables: riskyVariables.toSorted(),
    riskyPrefixes: riskyPrefixes.toSorted(),
  };
}

const parts: readonly (readonly [keyof ShellTables, string])[] = [
  ['reading', 'Only read, with flags that are known to; they need no rule in the session directories'],
  ['gitReading', 'So do these commands of git'],
  ['passing', 'Run a command as it is: whoever allows that command allows it'],
  ['wrapping', 'Run a command otherwise: it is judged, and so are they'],
  ['unread', 'Run others in ways that are not read: asked about, always'],
  ['opaque', 'Run code that nobody reads: a rule that names one grants it'],
  ['riskyVariables', 'Variables that a rule has to name'],
  ['riskyPrefixes', 'And all that begin with'],
];

/** The tables as the guide prints them. */
export function describeShellTables(): string {
  const tables = shellTables();
  return parts
    .map(([part, title]) => `- **${title}:** ${tables[part].map((name) => `\`${name}\``).join(' ')}`)
    .join('\n');
}
