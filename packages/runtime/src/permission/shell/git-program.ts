import type { Call, Effect, Program } from './command-effect.ts';
import { gitCodeFlags, gitCommands, gitFlags, gitReads, harmlessGitSetting } from './git-commands.ts';
import { type Arguments, readArguments } from './read-arguments.ts';
import { shellCode } from './row-program.ts';
import type { ShellCommand, ShellPath } from './shell-line.ts';
import { plainWord, type ShellWord, wordBehind } from './shell-word.ts';
import { joinedCode, notUnderstood } from './wrapper-program.ts';

const reads = new Map(gitReads.flatMap((row) => row.names.split(' ').map((name) => [name, row] as const)));

/** Git: what its settings, its flags and some of its commands have it run. Hooks and settings on disk are not judged here. */
export const git: Program = (call) => {
  const given = readArguments(call.args, gitFlags, true);
  if (given.options.some(({ marks }) => marks.includes('.'))) return { readsOnly: given.doubt === undefined };
  const [command, ...args] = given.operands;
  const settings = gitSettings(call, given);
  const paths = given.options.flatMap(({ name, value }) =>
    name === '-C' && value !== undefined ? call.open('read', value) : [],
  );
  if (given.doubt !== undefined) return { ...notUnderstood(call, given.doubt), paths };
  if (settings !== undefined) return { ...settings, paths };
  if (command === undefined) return { readsOnly: true, paths };
  const name = command.value;
  if (name === undefined || !gitCommands.has(name)) {
    return {
      unclear: `git ${command.spelled} is no command of git: an alias may run anything`,
      mayRun: call.guess(args),
      paths,
    };
  }
  const isHere = given.options.every((option) => option.name !== '-C');
  const effect = commandEffect(call, name, args);
  const readsOnly = isHere && onlyReads(name, args);
  const places = readsOnly ? foldersElsewhere(call) : [];
  const opened = [...paths, ...places, ...gitReadPaths(call, name, args), ...gitWrites(call, name, args)];
  return { readsOnly, ...effect, paths: opened };
};

/** Where it works, when that is not where the line starts: in another repository perhaps. */
function foldersElsewhere(call: Call): readonly ShellPath[] {
  return call
    .open('read', plainWord('.'))
    .filter(({ path }) => path !== '.')
    .map((folder) => ({ ...folder, repository: true }));
}

function gitSettings(call: Call, { options }: Arguments): Effect | undefined {
  const settings = options.filter(({ name }) => name === '-c').map(({ value }) => value);
  const other = settings.find((setting) => setting?.value === undefined || !harmlessGitSetting.test(setting.value));
  if (other === undefined) return undefined;
  const code = /^[^=]*=!?(.*)$/s.exec(other.value ?? '')?.[1] ?? '';
  return {
    unclear: `git is given the setting ${other.spelled}, which may have it run something`,
    mayRun: call.code(code).commands,
  };
}

function commandEffect(call: Call, name: string, args: readonly ShellWord[]): Effect {
  const [first, ...rest] = args;
  if (name === 'bisect' && first?.value === 'run') return rest.length === 0 ? {} : { runs: [call.run(rest)] };
  if (name === 'bisect' && first !== undefined && first.value === undefined)
    return notUnderstood(call, `${first.spelled} may be run`, rest);
  if (name === 'submodule') {
    const at = args.findIndex(({ value }) => value === 'foreach');
    const words =
      at < 0 ? [] : args.slice(at + 1).filter(({ value }) => value !== '--recursive' && value !== '--quiet');
    if (words.length > 0) return joinedCode(call, words);
  }
  if (name === 'for-each-repo') {
    const words = args.filter(({ prefix }) => !prefix.startsWith('--'));
    return words.length === 0 ? {} : { runs: [call.run([plainWord('git'), ...words])] };
  }
  if (name === 'config') return configEffect(call, args);
  if (args.some(({ value }) => /^(?:ext|fd)::/.test(value ?? ''))) {
    const code = args.map(({ value }) => /^ext::(.*)$/s.exec(value ?? '')?.[1]).find((text) => text !== undefined);
    return {
      unclear: 'a remote of the form ext:: has git run a program',
      mayRun: code === undefined ? [] : call.code(code).commands,
    };
  }
  return codeFlags(call, name, args);
}

function codeFlags(call: Call, name: string, args: readonly ShellWord[]): Effect {
  const runs: ShellCommand[] = [];
  let unclear: string | undefined;
  for (const { flag, value } of flagValues(args, gitCodeFlags.get(name) ?? [])) {
    unclear ??= `${flag} has git ${name} run something`;
    if (value === undefined) continue;
    const effect = shellCode(call, [value]);
    runs.push(...(effect.runs ?? effect.mayRun ?? []));
    // What `rebase --exec` runs is all that it adds.
    if (name === 'rebase' && effect.unclear === undefined) unclear = undefined;
  }
  return unclear === undefined ? (runs.length === 0 ? {} : { runs }) : { unclear, mayRun: runs };
}

/** A long flag may be shortened to any beginning of it. */
function flagValues(
  args: readonly ShellWord[],
  flags: readonly string[],
): readonly { flag: string; value: ShellWord | undefined }[] {
  const end = args.findIndex(({ value }) => value === '--');
  const own = end < 0 ? args : args.slice(0, end);
  return own.flatMap((arg, index) => {
    const given = /^--[\w-]*/.exec(arg.prefix)?.[0];
    for (const flag of flags) {
      if (given !== undefined && given.length > 2 && flag.startsWith(given)) {
        return [{ flag, value: arg.prefix[given.length] === '=' ? wordBehind(arg, given.length + 1) : own[index + 1] }];
      }
      if (given === undefined && !flag.startsWith('--') && arg.prefix.startsWith(flag)) {
        return [{ flag, value: arg.prefix.length > flag.length ? wordBehind(arg, flag.length) : own[index + 1] }];
      }
    }
    return [];
  });
}

/** A setting that is written works on from every later call. */
function configEffect(call: Call, args: readonly ShellWord[]): Effect {
  const names = args.filter(({ prefix }) => !prefix.startsWith('-'));
  const isRead = args.some(({ value }) => /^(?:--get.*|-l|--list)$/.test(value ?? '')) || names.length <= 1;
  if (isRead || names[0]?.value === 'get' || names[0]?.value === 'list') return {};
  const [name, value] = names[0]?.value === 'set' ? names.slice(1) : names;
  if (name?.value !== undefined && harmlessGitSetting.test(`${name.value}=${value?.value ?? ''}`)) return {};
  const code = value?.value?.replace(/^!/, '');
  return {
    opaque: `it sets ${name?.spelled ?? 'something'}, which may have later calls of git run something`,
    mayRun: code === undefined ? [] : call.code(code).commands,
  };
}

function onlyReads(name: string, args: readonly ShellWord[]): boolean {
  const row = reads.get(name);
  if (row === undefined) return false;
  const { doubt, operands, options } = readArguments(args, row.flags);
  if (doubt !== undefined) return false;
  switch (name) {
    case 'branch':
    case 'tag':
      // A bare name creates; behind a flag that lists it is a pattern.
      return (
        operands.length === 0 ||
        options.some((option) => /^(?:-l|--list|--(?:no-)?(?:contains|merged))$/.test(option.name))
      );
    case 'stash':
    case 'worktree':
      return (
        operands.length > 0 && operands.every(({ value }) => value !== undefined && row.form?.test(value) === true)
      );
    case 'remote':
      return operands.length === 0 || (operands[0]?.value === 'get-url' && operands.length === 2);
    case 'config':
      return options.some((option) => /^(?:--get.*|--list|-l)$/.test(option.name));
    default:
      return (
        row.form === undefined || operands.every(({ value }) => value !== undefined && row.form?.test(value) === true)
      );
  }
}

const showing = /^(?:log|show|diff|blame|annotate|grep|cat-file|ls-files|whatchanged)$/;

/** What flags and operands have a command write. */
function gitWrites(call: Call, name: string, args: readonly ShellWord[]): readonly ShellPath[] {
  const flags = name === 'archive' || name === 'format-patch' ? ['-o', '--output', '--output-directory'] : ['--output'];
  const named = flagValues(args, flags).flatMap(({ value }) =>
    value === undefined ? [] : call.open('write', value, name === 'format-patch'),
  );
  const operands = args.filter(({ prefix }) => !prefix.startsWith('-'));
  const folder =
    name === 'clone' ? operands.slice(1) : name === 'init' ? operands : name === 'worktree' ? operands.slice(1, 2) : [];
  const behind = args.slice(args.findIndex(({ value }) => value === '--') + 1);
  const changed = /^(?:rm|mv)$/.test(name)
    ? operands
    : /^(?:clean|checkout|restore)$/.test(name) && behind.length < args.length
      ? behind
      : [];
  return [...named, ...[...folder, ...changed].flatMap((word) => call.open('write', word, true))];
}

/** Files behind `--`, and in `revision:file`. */
function gitReadPaths(call: Call, name: string, args: readonly ShellWord[]): readonly ShellPath[] {
  if (!showing.test(name)) return [];
  const end = args.findIndex(({ value }) => value === '--');
  const named = (end < 0 ? args : args.slice(0, end)).flatMap((word) => {
    const at = word.prefix.startsWith('-') ? -1 : word.prefix.indexOf(':');
    if (at > 0) return call.open('read', wordBehind(word, at + 1), true);
    // `diff` outside of a repository, or with a file from outside, compares any two files.
    return /^(?:blame|annotate|diff)$/.test(name) && !word.prefix.startsWith('-') ? call.open('read', word) : [];
  });
  return [...named, ...(end < 0 ? [] : args.slice(end + 1)).flatMap((word) => call.open('read', word, true))];
}
