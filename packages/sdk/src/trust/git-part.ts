import { createHash } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { FolderPart } from './folder-part.ts';

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

/**
 * Looks for a repository around the folder, and at what its own configuration would run: file system monitors, pagers,
 * filters, aliases, hooks. Undefined where it would run nothing, which costs reading one small file.
 */
export async function readGitPart(folder: string): Promise<GitPart | undefined> {
  const repository = findGit(folder);
  if (repository === undefined) return undefined;
  const hooks = hooksIn(repository.common);
  const files = ['config', 'config.worktree'].flatMap((name) => {
    const places = new Set([join(repository.common, name), join(repository.git, name)]);
    return [...places].flatMap((place) => readIfThere(place));
  });
  const suspicious = files.some((text) => !isPlain(text));
  if (hooks.length === 0 && !suspicious) return undefined;
  const settings = suspicious ? await readSettings(repository) : [];
  const running = settings.filter(({ key }) => !isHarmless(key));
  if (hooks.length === 0 && running.length === 0) return undefined;
  const hash = createHash('sha256');
  for (const { key, value } of running) hash.update(`${key}=${value}\0`);
  for (const { name, path } of hooks) hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  return {
    name: '.git',
    hash: hash.digest('hex'),
    brings: [
      ...running.map(({ key, value }) => `git configuration: ${key} = ${value}`),
      ...hooks.map(({ name }) => `git hook: ${name}`),
    ],
    disarmed: disarm([...running.map(({ key }) => key), ...(hooks.length === 0 ? [] : ['core.hookspath'])]),
  };
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

interface Repository {
  readonly folder: string;
  readonly git: string;
  /** Of a worktree the folder of the repository that it belongs to. */
  readonly common: string;
}

function findGit(folder: string): Repository | undefined {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const git = gitFolder(place);
    if (git !== undefined) {
      const [common] = readIfThere(join(git, 'commondir'));
      return { folder: place, git, common: common === undefined ? git : resolve(git, common.trim()) };
    }
    if (dirname(place) === place) return undefined;
  }
}

function gitFolder(place: string): string | undefined {
  const git = join(place, '.git');
  const status = statSync(git, { throwIfNoEntry: false });
  if (status?.isDirectory() === true) return git;
  const elsewhere = status?.isFile() === true ? /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1] : undefined;
  if (elsewhere === undefined) return undefined;
  return isAbsolute(elsewhere) ? elsewhere : resolve(place, elsewhere);
}

function readIfThere(file: string): string[] {
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
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

/** What git reads from the repository's own files, those that they include too. Asking git runs nothing of it. */
async function readSettings({ folder }: Repository): Promise<{ key: string; value: string }[]> {
  const [{ execFile }, { promisify }] = await Promise.all([import('node:child_process'), import('node:util')]);
  const run = promisify(execFile);
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  try {
    const { stdout } = await run('git', ['config', '--list', '--includes', '-z'], {
      cwd: folder,
      env,
      timeout: 10_000,
    });
    return stdout.split('\0').flatMap((entry) => {
      if (entry === '') return [];
      const end = entry.indexOf('\n');
      const key = end < 0 ? entry : entry.slice(0, end);
      const value = end < 0 ? '' : entry.slice(end + 1);
      const isUrl = /^remote\..*\.(url|pushurl)$/i.test(key);
      return isUrl && !isProgramUrl(value) ? [] : [{ key, value }];
    });
  } catch (error) {
    // Without git nothing of it can run; where git itself refuses the configuration, it refuses every command too.
    return [{ key: 'core.unreadable', value: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' }];
  }
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
