import { env, fd, find, mapfile, parallel, xargs } from './argument-programs.ts';
import { alias, declare, letNumbers, rebinding, setsNamed, test, unlessFlags, wait } from './builtin-programs.ts';
import type { Program } from './command-effect.ts';
import { carryingPrograms } from './carrying-programs.ts';
import { docker, kubectl } from './container-programs.ts';
import { git } from './git-program.ts';
import { interpreter, interpreters } from './interpreter-programs.ts';
import {
  compiler,
  fileRunners,
  packageManager,
  packageManagers,
  packageRunner,
  projectRunner,
  projectRunners,
  runningFiles,
} from './project-programs.ts';
import { readingPrograms } from './reading-programs.ts';
import { rowProgram } from './row-program.ts';
import { evaluate, flock, remoteShell, script, shell, source, switchUser, trap } from './shell-programs.ts';
import { awk, copy, dd, remoteCopy, sed, tar, withoutPlus } from './text-programs.ts';
import { curl, wget } from './transfer-programs.ts';
import { notUnderstood, wrapperProgram } from './wrapper-program.ts';
import { otherWrappers, wrappingPrograms } from './wrapping-programs.ts';
import { plainPrograms, writingPrograms } from './writing-programs.ts';

/** Programs with a grammar of their own, by their names. */
export const ownPrograms: readonly { readonly names: string; readonly program: Program }[] = [
  { names: 'sh bash dash ash zsh fish ksh mksh oksh yash csh tcsh rbash nu xonsh elvish', program: shell },
  { names: 'su runuser', program: switchUser },
  { names: 'eval', program: evaluate },
  { names: 'source .', program: source },
  { names: 'trap', program: trap },
  { names: 'ssh mosh', program: remoteShell },
  { names: 'flock', program: flock },
  { names: 'script', program: script },
  { names: 'env genv', program: env },
  { names: 'xargs gxargs', program: xargs },
  { names: 'find gfind', program: find },
  { names: 'fd fdfind', program: fd },
  { names: 'parallel', program: parallel },
  { names: 'mapfile readarray', program: mapfile },
  { names: 'git', program: git },
  { names: 'docker podman nerdctl docker-compose podman-compose', program: docker },
  { names: 'kubectl oc', program: kubectl },
  { names: 'npx bunx pnpx uvx', program: packageRunner },
  { names: 'go cargo rustc dotnet mvn gradle gradlew sbt', program: compiler },
  { names: 'sed gsed', program: sed },
  { names: 'awk gawk mawk nawk', program: awk },
  { names: 'cp mv ln install gcp gmv gln', program: copy },
  { names: 'scp rsync', program: remoteCopy },
  { names: 'dd', program: dd },
  { names: 'curl', program: curl },
  { names: 'wget', program: wget },
  { names: 'tar gtar bsdtar', program: tar },
  { names: 'export declare typeset local readonly', program: declare },
  { names: 'read getopts unset', program: setsNamed },
  { names: 'test [', program: test },
  { names: 'let', program: letNumbers },
  { names: 'wait', program: wait },
  { names: 'alias', program: alias },
  { names: 'enable bind fc', program: rebinding },
  { names: 'hash', program: unlessFlags(rebinding, /^-[a-z]*p|^[^-]/) },
  { names: 'complete compgen compopt', program: unlessFlags(rebinding, /^-[A-Za-z]*[CFW]/) },
];

let programs: ReadonlyMap<string, Program> | undefined;

/** What a program of this name is known to do: a row of a table or a grammar of its own. */
export function programNamed(name: string): Program | undefined {
  programs ??= allPrograms();
  const program = programs.get(name);
  if (program !== undefined) return program;
  const unversioned = /^([a-z]+?)-?\d+(?:\.\d+)*$/.exec(name)?.[1];
  return unversioned !== undefined && interpreters.includes(unversioned) ? programs.get(unversioned) : undefined;
}

function allPrograms(): ReadonlyMap<string, Program> {
  const all = new Map<string, Program>();
  const add = (names: string | readonly string[], program: Program): void => {
    for (const name of typeof names === 'string' ? names.split(' ') : names) all.set(name, program);
  };
  add(plainPrograms, () => ({}));
  add(interpreters, interpreter);
  add(projectRunners, projectRunner);
  add(packageManagers, packageManager);
  add(otherWrappers, (call) => notUnderstood(call, 'it runs others in ways that are not read here', call.args));
  for (const row of readingPrograms) add(row.names, rowProgram(row, true));
  for (const row of writingPrograms) add(row.names, rowProgram(row, false));
  for (const row of wrappingPrograms) add(row.names, wrapperProgram(row));
  for (const { names, program } of ownPrograms) add(names, program);
  const printf = all.get('printf');
  if (printf !== undefined) add('printf', (call) => ({ ...printf(call), ...setsNamed(call) }));
  for (const { names, program } of carryingPrograms())
    for (const name of names.split(' ')) add(name, program(all.get(name) ?? (() => ({}))));
  for (const name of fileRunners) add(name, runningFiles(all.get(name) ?? (() => ({}))));
  for (const name of ['less', 'more', 'most']) {
    const pager = all.get(name);
    if (pager !== undefined) add(name, withoutPlus(pager));
  }
  return all;
}
