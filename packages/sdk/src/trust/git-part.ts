import { createHash, randomUUID } from 'node:crypto';
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import {
  isBelow,
  mayHoldRepositories,
  realPathOr,
  repositoriesAround,
  repositoriesAt,
  type Repository,
  textOf,
} from './find-repository.ts';
import type { FolderPart } from './folder-part.ts';
import { fileHash, type LocalScript, localScripts } from './local-scripts.ts';

/** A repository's configuration that makes git run programs, and what takes that away from every git command. */
export interface GitPart extends FolderPart {
  /** Environment of commands in which git runs none of these programs. */
  readonly disarmed: Readonly<Record<string, string>>;
}

/** Keys that make git run nothing and ask nothing else to, by their beginnings. */
const harmless: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|longpaths|sharedrepository|protecthfs|protectntfs|trustctime|checkstat|untrackedcache|preloadindex|commentchar|whitespace|abbrev|bigfilethreshold|compression|sparsecheckout|sparsecheckoutcone|splitindex|fscache|excludesfile|attributesfile)$/,
  /^remote\..*\.(fetch|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|partialclonefilter|promisor|gh-resolved)$/,
  /^branch\..*\.(remote|merge|rebase|pushremote|description|vscode-merge-base|github-pr-.*)$|^branch\.(autosetupmerge|autosetuprebase|sort)$/,
  /^(user|author|committer)\.(name|email|signingkey|useconfigonly)$/,
  /^(color|column|advice|status|log|push|pull|fetch|rerere|help|index|pack|gc|maintenance|transfer|receive|feature|extensions|init|tag|stash|commit|merge|rebase|diff|blame|grep|format|apply|checkout|clone|feature|notes|versionsort|worktree|protocol|lfs|submodule|svn-remote|http|https)\.[a-z]+$/,
  /^submodule\..*\.(url|active|branch|fetchrecursesubmodules|ignore|shallow)$/,
];

/** Among those, what runs something after all. */
const programs =
  /^(core\.(fsmonitor|hookspath|editor|pager|sshcommand|gitproxy|askpass|alternaterefscommand)|init\.templatedir|diff\.external|blame\.ignorerevsfile|gc\.recentobjectshook|log\.mailmap|protocol\.allow|merge\.(tool|guitool)|diff\.(tool|guitool)|help\.browser|transfer\.credentialsinurl|submodule\.alternatelocation|lfs\.[a-z]*(command|path|transfer|extension)[a-z]*)$/;

/** What each is to be where git has to have something. Others become empty, which names no program. */
const disarmedValues: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hookspath': '/dev/null',
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.sshcommand': 'ssh',
  'sequence.editor': 'false',
  'gpg.program': 'gpg',
  'gpg.ssh.program': 'ssh-keygen',
  'gpg.x509.program': 'gpgsm',
  'protocol.allow': 'user',
};

/** What keeps git from doing anything at all: it cannot be read. */
const unusable = { GIT_CONFIG_COUNT: 'not trusted' };

/** More variables could not be handed to a command, and nobody has so many. */
const mostKeys = 1000;
const mostRepositories = 200;

/**
 * Looks for a repository around the folder and for those in it that git descends into, and at what their own configuration
 * would run: file system monitors, pagers, filters, aliases, hooks. Undefined where it would run nothing, which costs reading a
 * few small files.
 */
export async function readGitPart(folder: string): Promise<GitPart | undefined> {
  const around = repositoriesAround(folder);
  const { repositories, isWhole } = await withNested(around);
  const hooks = repositories.flatMap(({ common, folder: place }) =>
    hooksIn(common).map((hook) => ({ ...hook, place })),
  );
  const read = await Promise.all(repositories.map(readRunning));
  const running = read.flatMap((each) => each ?? []);
  const foreign = repositories.filter((repository) => repository.foreign === true);
  const isUnknown = !isWhole || read.includes(undefined) || running.length > mostKeys;
  if (hooks.length === 0 && running.length === 0 && foreign.length === 0 && !isUnknown) return undefined;
  const top = around.at(-1)?.folder ?? folder;
  const scripts = scriptsOf(running, top);
  const hash = createHash('sha256');
  for (const { key, value } of running) hash.update(`${key}=${value}\0`);
  for (const { name, path } of hooks) hash.update(`${name}\0${fileHash(path)}\0`);
  for (const { git } of foreign) hash.update(`foreign ${git}\0`);
  for (const script of scripts) hash.update(`script ${script.name}\0${script.hash}\0`);
  // What was never read cannot be known again.
  if (isUnknown) hash.update(randomUUID());
  // No variable takes back where the files are, or what counts on some branches alone.
  const isFixed = running.some(({ key }) => /^(?:core\.worktree$|includeif\.)/.test(lowerKey(key)));
  const keys = [...running.map(({ key }) => key), ...(hooks.length === 0 ? [] : ['core.hookspath'])];
  return {
    name: '.git',
    hash: hash.digest('hex'),
    brings: [
      ...running.map(({ key, value }) => `git configuration: ${key} = ${shortened(value)}`),
      ...hooks.map(({ name, place }) => `git hook: ${name}${place === top ? '' : ` of ${place}`}`),
      ...foreign.map(({ git }) => `git folder elsewhere: ${git}`),
      ...(isUnknown ? ['git configuration that cannot be read whole'] : []),
      ...(scripts.length === 0 ? [] : [`with ${scripts.map(({ name }) => name).join(', ')}`]),
    ],
    disarmed: isUnknown || isFixed || foreign.length > 0 ? unusable : disarm(keys),
  };
}

/** The files of the folder that the settings name: programs, hooks, and further settings. */
function scriptsOf(running: readonly Setting[], folder: string): readonly LocalScript[] {
  const isHooks = ({ key }: Setting) => lowerKey(key) === 'core.hookspath';
  const programs = running.filter((setting) => !isHooks(setting));
  const hookFolders = running.filter(isHooks).map(({ value }) => value);
  return localScripts(
    programs.map(({ key, value, git }) => (lowerKey(key).startsWith('include') ? resolve(git, value) : value)),
    folder,
    hookFolders,
  );
}

/** A long value ends where it may hide something, and says so. */
function shortened(value: string): string {
  return value.length > 500 ? `${value.slice(0, 500)}… (${value.length - 500} more characters)` : value;
}

/** With the repositories in them, of submodules, in which git runs as well. */
async function withNested(
  around: readonly Repository[],
): Promise<{ readonly repositories: readonly Repository[]; readonly isWhole: boolean }> {
  const repositories = [...around];
  for (const repository of repositories) {
    if (!mayHoldRepositories(repository)) continue;
    const paths = await gitlinksOf(repository);
    if (paths === undefined || repositories.length + paths.length > mostRepositories)
      return { repositories, isWhole: false };
    const known = new Set(repositories.map(({ git }) => git));
    const nested = paths.flatMap((path) => repositoriesAt(join(repository.folder, path)));
    repositories.push(...nested.filter(({ git }) => !known.has(git)));
  }
  return { repositories, isWhole: true };
}

/** The folders that the index says are repositories of their own. Undefined where git cannot tell. */
async function gitlinksOf({ git }: Repository): Promise<readonly string[] | undefined> {
  const listed = await askGit(git, ['-c', 'core.fsmonitor=false', 'ls-files', '--stage', '-z']);
  return listed
    ?.split('\0')
    .flatMap((entry) => (entry.startsWith('160000 ') ? entry.slice(entry.indexOf('\t') + 1) : []));
}

interface Setting {
  readonly key: string;
  readonly value: string;
  /** The repository that says it. */
  readonly git: string;
}

/** The settings that would run something. Undefined where there is something that cannot be read. */
async function readRunning(repository: Repository): Promise<readonly Setting[] | undefined> {
  const { git, common } = repository;
  const places = new Set(['config', 'config.worktree'].flatMap((name) => [join(common, name), join(git, name)]));
  const files = [...places].filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined).map(textOf);
  if (files.includes(undefined)) return undefined;
  if (files.every((text) => text === undefined || isPlain(text))) return [];
  const listed = await askGit(git, ['config', '--list', '--includes', '-z']);
  const running = listed?.split('\0').flatMap((entry): Setting[] => {
    if (entry === '') return [];
    const end = entry.indexOf('\n');
    const key = end < 0 ? entry : entry.slice(0, end);
    const value = end < 0 ? '' : entry.slice(end + 1);
    const isUrl = /^remote\..*\.(url|pushurl)$/i.test(key);
    const isOwn = lowerKey(key) === 'core.worktree' && isBelow(realPathOr(resolve(git, value)), repository.folder);
    return isOwn || (isUrl ? !isProgramUrl(value) : isHarmless(key)) ? [] : [{ key, value, git }];
  });
  return running;
}

/** Keys of which git takes every value it finds: another one would change nothing, or more than is meant. */
const cumulative = /^(include\.path|includeif\..*\.path|url\..*\.(insteadof|pushinsteadof)|remote\..*\.(url|pushurl))$/;

function disarm(keys: readonly string[]): Record<string, string> {
  const values = new Map([
    // A bare repository that lies in the folder would bring a configuration of its own.
    ['safe.bareRepository', 'explicit'],
    // A transport that is a program. The others that keys may name are there already.
    ['protocol.ext.allow', 'never'],
  ]);
  for (const key of keys) {
    const lower = lowerKey(key);
    // Git takes the first of these that it finds. A repository on this machine is the only one that they run for here.
    if (/^remote\..*\.(uploadpack|receivepack|vcs)$/.test(lower)) values.set('protocol.file.allow', 'never');
    if (cumulative.test(lower) || lower === 'protocol.ext.allow') continue;
    values.set(key, disarmedValues[lower] ?? (/^protocol\..*\.allow$/.test(lower) ? 'user' : ''));
  }
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(values.size) };
  [...values].forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}

/** True for what git itself writes into a new clone, line by line; anything else is looked at by git. */
function isPlain(text: string): boolean {
  let section = '';
  return text.split(/\r?\n/).every((line) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith(';')) return true;
    const header = /^\[([\w.-]+)(?:\s+"([^"\\]*)")?\]$/.exec(trimmed);
    if (header !== null) {
      section = [header[1], header[2]].filter((part) => part !== undefined).join('.');
      return true;
    }
    const entry = /^([\w-]+)\s*(?:=\s*(.*))?$/.exec(trimmed);
    if (entry === null || trimmed.endsWith('\\')) return false;
    const key = `${section}.${entry[1]?.toLowerCase()}`;
    if (/^remote\..*\.(url|pushurl)$/i.test(key)) return !isProgramUrl(entry[2] ?? '');
    return isHarmless(key);
  });
}

function isHarmless(key: string): boolean {
  const lower = lowerKey(key);
  return !programs.test(lower) && harmless.some((pattern) => pattern.test(lower));
}

/** Section and name do not tell case, what stands between them does; for comparing all of it is lower. */
function lowerKey(key: string): string {
  return key.toLowerCase();
}

/** An address whose transport is a program: `ext::sh -c …`. */
function isProgramUrl(url: string): boolean {
  return url.includes('::') || url.startsWith('-');
}

/**
 * What git says of a repository by its own files alone, those that they include too. None of these questions has it run
 * anything of the repository, whoever it belongs to. Undefined where it does not answer.
 */
async function askGit(git: string, args: readonly string[]): Promise<string | undefined> {
  const [{ execFile }, { promisify }] = await Promise.all([import('node:child_process'), import('node:util')]);
  const path = (process.env['PATH'] ?? '/usr/bin:/bin').split(delimiter).filter(isAbsolute).join(delimiter);
  const env = { PATH: path, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0' };
  const options = { cwd: git, env, timeout: 10_000, maxBuffer: 64 * 1024 * 1024 };
  const asked = promisify(execFile)('git', [`--git-dir=${git}`, ...args], options);
  return await asked.then(
    ({ stdout }) => stdout,
    // Where there is no git, none of it can run.
    (error: unknown) => (error instanceof Error && 'code' in error && error.code === 'ENOENT' ? '' : undefined),
  );
}

function hooksIn(git: string): { readonly name: string; readonly path: string }[] {
  let names: string[];
  try {
    names = readdirSync(join(git, 'hooks')).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(git, 'hooks', name);
    return name.endsWith('.sample') || !isProgram(path) ? [] : [{ name, path }];
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
