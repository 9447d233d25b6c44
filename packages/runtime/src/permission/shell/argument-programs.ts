import type { Call, Effect, Program } from './command-effect.ts';
import { type FlagGrammar, readArguments } from './read-arguments.ts';
import { optionPaths, shellCode } from './row-program.ts';
import type { ShellCommand, ShellPath } from './shell-line.ts';
import { plainWord, type ShellWord, unknownWord } from './shell-word.ts';
import { joinedCode, notUnderstood, splitAssignments } from './wrapper-program.ts';

const envFlags: FlagGrammar =
  '-i --ignore-environment -0 --null -u= --unset= -C/ --chdir/ -S= --split-string= -v --debug -P! --default-signal? --ignore-signal? --block-signal? --list-signal-handling --help. --version.';

/** `env`: the split of `-S` has a small grammar of its own; what uses more of it than blanks and plain quotes is not read. */
export const env: Program = (call) => {
  const given = readArguments(call.args, envFlags, true);
  if (given.options.some(({ marks }) => marks.includes('.'))) return { readsOnly: true };
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt, splitAssignments(given.operands).words);
  const split = given.options.filter(({ name }) => name === '-S' || name === '--split-string');
  const operands = [
    ...split.flatMap(({ value }) => splitWords(value)),
    ...given.operands.filter(({ value }) => value !== '-'),
  ];
  if (operands.some((word) => word === undefined))
    return notUnderstood(call, 'the words of -S are not plain', given.operands);
  const { assignments, words } = splitAssignments(operands.filter((word) => word !== undefined));
  if (words[0]?.prefix.startsWith('-') === true) return notUnderstood(call, 'the words of -S are flags', words);
  if (words.length === 0) return { assignments };
  const folder = given.options.find(({ marks }) => marks.includes('/'))?.value;
  return { readsOnly: true, passesThrough: true, runs: [call.run(words, folder, assignments)] };
};

function splitWords(word: ShellWord | undefined): readonly (ShellWord | undefined)[] {
  if (word?.value === undefined || /[\\$#]/.test(word.value)) return [undefined];
  return [...word.value.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([text]) =>
    plainWord(text.replaceAll(/['"]/g, '')),
  );
}

const xargsFlags: FlagGrammar =
  '-0 --null -a< --arg-file< -d= --delimiter= -E= -e? --eof? -I= -i? --replace? -J= -R= -S= -L= -l? --max-lines? -n= --max-args= -o --open-tty -P= --max-procs= -p --interactive --process-slot-var= -r --no-run-if-empty -s= --max-chars= --show-limits -t --verbose -x --exit --help. --version.';

/** `xargs`: what it reads becomes arguments of the command, or a place in them. */
export const xargs: Program = (call) => {
  const given = readArguments(call.args, xargsFlags, true);
  if (given.options.some(({ marks }) => marks.includes('.'))) return { readsOnly: true };
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt, given.operands);
  const paths = optionPaths(call, given);
  const replaced = given.options.find(({ name }) => /^(?:-I|-i|--replace|-J)$/.test(name));
  const place = replaced === undefined ? undefined : (replaced.value?.value ?? '{}');
  const words =
    place === undefined
      ? [...given.operands, unknownWord('…', true)]
      : given.operands.map((word) => filled(word, place));
  if (given.operands.length === 0) return { readsOnly: true, passesThrough: true, paths };
  const command = call.run(words);
  // What becomes a name or code may be what the line itself feeds it.
  const mayRun = call.piped === undefined || command.unclear === undefined ? [] : call.code(call.piped).commands;
  return { readsOnly: true, passesThrough: true, runs: [command], paths, mayRun };
};

/** A word in which something is put that only running tells. It stays one word. */
function filled(word: ShellWord, place: string): ShellWord {
  if (place === '' || word.value?.includes(place) !== true) return word;
  const prefix = word.value.slice(0, word.value.indexOf(place));
  return { ...unknownWord(word.spelled), prefix };
}

/** Flags of `find` that take no other command, and how many words follow them. */
const findWords = new Map<string, number>([
  ...'-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -newerXY -path -perm -printf -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype -D -f'
    .split(' ')
    .map((name): [string, number] => [name, 1]),
  ...'-a -and -o -or -not ! ( ) , -d -daystart -depth -empty -executable -false -follow -H -L -P -E -X -x -s -ls -mount -nogroup -noignore_readdir_race -ignore_readdir_race -noleaf -nouser -nowarn -warn -print -print0 -prune -quit -readable -true -writable -xdev -O0 -O1 -O2 -O3 -help -version'
    .split(' ')
    .map((name): [string, number] => [name, 0]),
]);

/** `find`: reads names, and with some of its flags runs, deletes and writes. */
export const find: Program = (call) => {
  const { args } = call;
  const runs: ShellCommand[] = [];
  const paths: ShellPath[] = [];
  let doubt: string | undefined;
  let roots = 0;
  let deletes = false;
  let isExpression = false;
  for (let next = 0; next < args.length; next++) {
    const word = args[next];
    if (word === undefined) break;
    const name = word.value;
    const following = args[next + 1];
    if (name === undefined && (isExpression || word.splits || word.prefix === '' || word.prefix.startsWith('-'))) {
      doubt ??= `${word.spelled} may be any part of what it looks for`;
    } else if (!isExpression && (name === undefined || !/^[-(!,]/.test(name))) {
      paths.push(...call.open('read', word, true));
      roots++;
    } else if (name !== undefined && /^-(?:exec|execdir|ok|okdir)$/.test(name)) {
      const length = commandLength(args.slice(next + 1));
      const words = args.slice(next + 1, next + 1 + length).map((part) => filled(part, '{}'));
      if (words.length === 0) doubt ??= `${name} lacks its command`;
      else runs.push(call.run(words, name.endsWith('dir') ? unknownWord('{}') : undefined));
      next += length + 1;
    } else if (name === '-delete') deletes = true;
    else if (name !== undefined && /^-(?:fprint0?|fls|fprintf)$/.test(name)) {
      if (following !== undefined) paths.push(...call.open('write', following));
      next += name === '-fprintf' ? 2 : 1;
    } else if (name === '-files0-from') doubt ??= 'it takes where it looks from a file';
    else {
      const count = findWords.get(name ?? '') ?? (/^-newer[aBcmt]{2}$/.test(name ?? '') ? 1 : undefined);
      if (count === undefined) doubt ??= `the flag ${name ?? word.spelled} is not known`;
      if (count === 1 && (following === undefined || isSeveral(following)))
        doubt ??= `${following?.spelled ?? name} may be several words`;
      next += count ?? 0;
    }
    isExpression ||= name !== undefined && /^[-(!]/.test(name) && !/^-[HLPEXdsx]$|^-O\d$|^-D$|^-f$/.test(name);
  }
  if (roots === 0) paths.push(...call.open('read', plainWord('.'), true));
  if (deletes)
    paths.push(
      ...paths.filter(({ access }) => access === 'read').map((path): ShellPath => ({ ...path, access: 'write' })),
    );
  if (doubt !== undefined) return { ...notUnderstood(call, doubt), runs, paths };
  return { readsOnly: true, runs, paths };
};

/** An unquoted pattern that fits `-delete` may come to that, too. */
function isSeveral({ splits, below, prefix, spelled }: ShellWord): boolean {
  return splits || (below !== undefined && prefix === '' && !spelled.includes('.'));
}

function commandLength(words: readonly ShellWord[]): number {
  const end = words.findIndex(
    ({ value }, index) => value === ';' || (value === '+' && words[index - 1]?.value === '{}'),
  );
  return end < 0 ? words.length : end;
}

const fdFlags: FlagGrammar =
  '* -d= --max-depth= --min-depth= --exact-depth= -t= --type= -e= --extension= -E= --exclude= -S= --size= --changed-within= --changed-before= --newer= --older= -o= --owner= -c= --color= -j= --threads= -C/ --base-directory/ --path-separator= --search-path< --max-results= --ignore-file< --format= --strip-cwd-prefix? --hyperlink? --list-details! -l! -x! -X! --exec! --exec-batch!';

/** `fd`: the command behind `-x` goes to the end of the line, or to a `;`. */
export const fd: Program = (call) => {
  const at = call.args.findIndex(({ value }) => /^(?:-[a-zA-Z]*[xX]|--exec|--exec-batch)$/.test(value ?? ''));
  const own = at < 0 ? call.args : call.args.slice(0, at);
  const given = readArguments(own, fdFlags);
  const roots = given.operands.slice(1);
  const paths = (roots.length === 0 ? [plainWord('.')] : roots).flatMap((root) => call.open('read', root, true));
  if (given.doubt !== undefined || given.options.some(({ marks }) => marks.includes('/'))) {
    return { ...notUnderstood(call, given.doubt ?? 'it goes to another folder'), paths };
  }
  if (at < 0) return { readsOnly: true, paths };
  const command = call.args.slice(at + 1);
  const end = command.findIndex(({ value }) => value === ';');
  const words = (end < 0 ? command : command.slice(0, end)).map((word) =>
    /\{[^}]*\}/.test(word.spelled) ? filled(word, '{') : word,
  );
  if (words.length === 0 || end >= 0) return { ...notUnderstood(call, 'what it runs is not clear', words), paths };
  return { readsOnly: true, runs: [call.run([...words, unknownWord('…', true)])], paths };
};

/** GNU parallel: its words, with what it is given put in place, are a shell's code. */
export const parallel: Program = (call) => {
  const flags: FlagGrammar =
    '-j= --jobs= -k --keep-order --bar --eta --progress -n= -N= -L= -X -m -0 --null -q --quote -t --verbose -u --ungroup --halt= --joblog> --results> --delay= --timeout= --retries= -C= --colsep= -d= --delimiter= -I= -a< --arg-file< --line-buffer --lb --dry-run --no-notice --will-cite --tag -r --no-run-if-empty --max-args= --link --linebuffer';
  const given = readArguments(call.args, flags, true);
  const sources = given.operands.findIndex(({ value }) => value?.startsWith(':::') === true);
  const words = sources < 0 ? given.operands : given.operands.slice(0, sources);
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt, words);
  if (words.length === 0 || /[{}]/.test(words[0]?.spelled ?? '')) {
    const values = sources < 0 ? [] : given.operands.slice(sources + 1);
    return {
      unclear: 'parallel takes what it runs from its input',
      mayRun: values.flatMap((word) => guessCode(call, word)),
    };
  }
  const effect = joinedCode(call, words);
  const isPlain = words.every(({ value }) => value !== undefined && /^[\w./:=@,+{}-]+$/.test(value));
  if (isPlain)
    return {
      readsOnly: true,
      passesThrough: true,
      runs: [call.run([...words.map((word) => filled(word, '{')), unknownWord('…', true)])],
      paths: optionPaths(call, given),
    };
  return {
    unclear: effect.unclear ?? 'what parallel puts into the code is not known',
    mayRun: [...(effect.runs ?? []), ...(effect.mayRun ?? [])],
  };
};

function guessCode(call: Call, { value }: ShellWord): readonly ShellCommand[] {
  return value === undefined || value.startsWith(':::') ? [] : call.code(value).commands;
}

/** `mapfile -C code` and `readarray`. */
export const mapfile: Program = (call): Effect => {
  const given = readArguments(call.args, '-d= -n= -O= -s= -t -u= -C$ -c=');
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt);
  const code = given.options.find(({ marks }) => marks.includes('$'))?.value;
  return code === undefined ? { readsOnly: true } : { passesThrough: true, ...shellCode(call, [code]) };
};
