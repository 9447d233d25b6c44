import type { Call, Effect, Program } from './command-effect.ts';
import { type FlagGrammar, readArguments } from './read-arguments.ts';
import { optionCode, optionPaths, shellCode } from './row-program.ts';
import type { ShellCommand, ShellPath } from './shell-line.ts';
import { isBareWord, isInput, plainWord, type ShellWord, unknownWord, wordBehind } from './shell-word.ts';
import { sshSettings } from './shell-programs.ts';
import { notUnderstood } from './wrapper-program.ts';

const sedFlags: FlagGrammar =
  '-n --quiet --silent -e=@ --expression=@ -f<@ --file<@ -E -r --regexp-extended -s --separate -u --unbuffered -z --null-data -l= --line-length= --posix --debug --sandbox -b --binary -i? --in-place? -I? --follow-symlinks --help. --version.';

/** Addresses, then a command that prints, deletes or ends; or `s` with flags that only print. */
const sedAddress = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/I?)(?:~\d+)?`;
const sedCommand = String.raw`\s*(?:${sedAddress}(?:,\s*(?:${sedAddress}|[+~]\d+))?)?\s*!?\s*(?:[pdqQ=lDPNhHgGxn]|s(?<d>[/|,#@:!%])(?:(?!\k<d>)[^\\\n]|\\[^\n])*\k<d>(?:(?!\k<d>)[^\\\n]|\\[^\n])*\k<d>[gpIi\d]*)\s*`;
const oneSedCommand = new RegExp(`^${sedCommand}$`);

/** `sed`: `e` runs and `w` writes, alone and as flags of `s`. Only scripts that plainly have neither are told to only read. */
export const sed: Program = (call) => {
  const given = readArguments(call.args, sedFlags);
  if (given.options.some(({ marks }) => marks.includes('.'))) return { readsOnly: true };
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt);
  const isGiven = given.options.some(({ marks }) => marks.includes('@'));
  const [first, ...rest] = given.operands;
  const scripts = isGiven
    ? given.options.filter(({ name }) => /^(?:-e|--expression)$/.test(name)).map(({ value }) => value)
    : [first];
  const files = isGiven ? given.operands : rest;
  const inPlace = given.options.some(({ name }) => /^(?:-i|-I|--in-place)$/.test(name));
  const paths = [...optionPaths(call, given), ...files.flatMap((file) => call.open('read', file))];
  if (inPlace) paths.push(...files.flatMap((file) => call.open('write', file)));
  const fromFile = given.options.some(({ name }) => name === '-f' || name === '--file');
  const isPlain = !fromFile && scripts.every((script) => script?.value !== undefined && isPlainSed(script.value));
  if (isPlain) return { readsOnly: true, paths };
  const mayRun =
    scripts.some(
      (script) => script?.value === undefined || /(?:^|[^\\a-zA-Z])[0-9$,]*[eEwW]|[gpIi\d]*[eWw]/.test(script.value),
    ) || fromFile;
  if (!mayRun) return { paths };
  const isFile =
    fromFile && given.options.every(({ name, value }) => !/^(?:-f|--file)$/.test(name) || isFileName(value));
  const hasOther = scripts.some((script) => script?.value === undefined || !isPlainSed(script.value));
  const opaque = 'the script of sed may run programs and write files';
  return isFile && !hasOther ? { opaque, fromFiles: true, paths } : { opaque, paths };
};

function isFileName(word: ShellWord | undefined): boolean {
  return word !== undefined && isBareWord(word) && !isInput(word);
}

function isPlainSed(text: string): boolean {
  return text.length < 500 && splitSed(text).every((command) => command.trim() === '' || oneSedCommand.test(command));
}

/** At `;` and line ends. One inside of an expression splits it too, and the halves are no commands then: not plain. */
function splitSed(text: string): readonly string[] {
  return oneSedCommand.test(text) ? [text] : text.split(/[;\n]/);
}

const awkFlags: FlagGrammar =
  '-F= --field-separator= -v= --assign= --posix --re-interval -f<@ --file<@ -e! --version. -V. --help.';

/** `awk`: a program that neither runs, reads nor writes anything by name is as good as `cut`. */
export const awk: Program = (call) => {
  const given = readArguments(call.args, awkFlags, true);
  if (given.options.some(({ marks }) => marks.includes('.'))) return { readsOnly: true };
  const scripts = given.options.filter(({ marks }) => marks.includes('@'));
  if (scripts.length > 0) {
    const opaque = `${call.name} runs the program in ${scripts[0]?.value?.spelled ?? 'a file'}`;
    const paths = [...optionPaths(call, given), ...given.operands.flatMap((file) => call.open('read', file))];
    const isFile = given.doubt === undefined && scripts.every(({ value }) => isFileName(value));
    return isFile ? { opaque, fromFiles: true, paths } : { opaque, paths };
  }
  const [code, ...files] = given.operands;
  const paths = files.flatMap((file) => (/^[A-Za-z_]\w*=/.test(file.prefix) ? [] : call.open('read', file)));
  const isPlain = code?.value !== undefined && !/[|>@]|system|getline|close|ARGV/.test(code.value);
  if (given.doubt === undefined && isPlain) return { readsOnly: true, paths };
  return { opaque: `${call.name} runs a program that may run others and write files`, paths };
};

const copyFlags: FlagGrammar =
  '* -t>+@ --target-directory>+@ -S= --suffix= --backup? --preserve? --no-preserve= --reflink? --sparse= --context? -m= --mode= -o= --owner= -g= --group= --strip-program$ -Z';

/** `cp`, `mv`, `ln`, `install`: the last operand, or that of `-t`, is written; what is moved or linked is so too. */
export const copy: Program = (call) => {
  const given = readArguments(call.args, copyFlags);
  const { operands } = given;
  const hasTarget = given.options.some(({ marks }) => marks.includes('@'));
  const makes = call.name === 'install' && given.options.some(({ name }) => name === '-d' || name === '--directory');
  const sources = makes ? [] : hasTarget || operands.length === 1 ? operands : operands.slice(0, -1);
  const last = operands.at(-1);
  const targets = makes
    ? operands
    : hasTarget || last === undefined
      ? []
      : operands.length === 1
        ? [plainWord('.')]
        : [last];
  const isSymbolic = given.options.some(
    ({ name }) => name === '-s' || name === '--symbolic' || name === '--symbolic-link',
  );
  // A second name of a file is a way to write it, also for what follows in the line: no link is there yet to be followed.
  const both = call.name === 'mv' || call.name === 'ln' || isSymbolic;
  const folders = hasTarget
    ? given.options.flatMap(({ marks, value }) => (marks.includes('@') ? [value] : []))
    : targets;
  const mayRun = sources.flatMap((source) => underAnotherName(call, source));
  const linked = isSymbolic ? sources.flatMap((source) => linkedPlaces(source, folders)) : [];
  const codes = optionCode(call, given);
  return {
    ...codes,
    mayRun: [...(codes.mayRun ?? []), ...mayRun],
    paths: [
      ...optionPaths(call, given),
      ...sources.flatMap((source) => call.open('read', source, true)),
      ...(both ? sources.flatMap((source) => call.open('write', source, true)) : []),
      ...linked.flatMap((place) => [...call.open('read', place, true), ...call.open('write', place, true)]),
      ...targets.flatMap((target) => call.open('write', target, true)),
    ],
  };
};

/** A program that gets a second name may be run by that: with arguments that are not known yet. */
function underAnotherName(call: Call, source: ShellWord): readonly ShellCommand[] {
  const { value, spelled, text, fromHome } = source;
  const name =
    value ??
    (fromHome === undefined ? /\b(?:which|type|command|whence)\s(?:-\w+\s+)*([\w.-]+)/.exec(text)?.[1] : spelled);
  const rest = unknownWord('…', true);
  if (name !== undefined && name !== '') return [call.run([plainWord(name), rest])];
  // A pattern where programs are may be any of them: a shell that reads what to run.
  return /(?:^|\/)s?bin\/[^/]*$/.test(spelled)
    ? [call.run([plainWord('sh'), plainWord('-s')])]
    : [call.run([source, rest])];
}

/** Where a symbolic link leads: from the folder that it lies in, which is the target's, or the target where that is a folder. */
function linkedPlaces(
  { value, fromHome, spelled }: ShellWord,
  targets: readonly (ShellWord | undefined)[],
): ShellWord[] {
  if (fromHome !== undefined || value?.startsWith('/') === true) return [];
  return targets.flatMap((target) => {
    if (value === undefined || target?.value === undefined) return [unknownWord(spelled)];
    const folder = target.value.slice(0, target.value.lastIndexOf('/') + 1);
    return [plainWord(`${folder}${value}`), plainWord(`${target.value}/${value}`)];
  });
}

/** `host:path` is no file here. */
function isRemote({ prefix }: ShellWord): boolean {
  return /^(?:[^/]*:|\w+:\/\/)/.test(prefix) && !/^[A-Za-z]:[\\/]/.test(prefix);
}

const remoteFlags: FlagGrammar =
  '* -e$ --rsh$ --rsync-path$ -S! -F! -i< -J= -l= -P? -c? -X= -D= -o= -f= --filter= --exclude= --include= --exclude-from< --include-from< --files-from< --log-file> --password-file< --partial-dir= --temp-dir= --backup-dir= --compare-dest= --copy-dest= --link-dest= --out-format= --bwlimit= --timeout= --port= --chmod= --chown= --info= --debug= --max-size= --min-size= --max-delete= --write-batch> --read-batch< -T= -B= -M= --remote-option= --early-input<';

/** `scp` and `rsync`: other machines' files aside, as `cp`. */
export const remoteCopy: Program = (call) => {
  const flags =
    call.name === 'rsync' ? remoteFlags : remoteFlags.replace('-e$', '-e').replace('-P?', '-P=').replace('-c?', '-c=');
  const given = readArguments(call.args, flags);
  const { operands } = given;
  const last = operands.length > 1 ? operands.at(-1) : undefined;
  const sources = last === undefined ? operands : operands.slice(0, -1);
  const local = sources.filter((source) => !isRemote(source));
  const removes = given.options.some(({ name }) => /^--remove-(?:source|sent)-files$/.test(name));
  const codes = optionCode(call, given);
  const settings: Effect = call.name === 'rsync' ? {} : sshSettings(call, given);
  const refused = given.options.find(({ marks }) => marks.includes('!'));
  return {
    ...codes,
    ...settings,
    mayRun: [
      ...(codes.mayRun ?? []),
      ...(settings.mayRun ?? []),
      ...local.flatMap((source) => underAnotherName(call, source)),
    ],
    ...(refused === undefined || call.name === 'rsync'
      ? {}
      : { unclear: `${refused.name} of ${call.name} may have it run a program` }),
    paths: [
      ...optionPaths(call, given),
      ...local.flatMap((source) => call.open('read', source, true)),
      ...(removes ? local.flatMap((source) => call.open('write', source, true)) : []),
      ...(last === undefined || isRemote(last) ? [] : call.open('write', last, true)),
    ],
  };
};

export const dd: Program = (call) => {
  const paths: ShellPath[] = [];
  for (const arg of call.args) {
    if (arg.prefix.startsWith('if=')) paths.push(...call.open('read', wordBehind(arg, 3)));
    else if (arg.prefix.startsWith('of=')) paths.push(...call.open('write', wordBehind(arg, 3)));
    else if (arg.value === undefined) paths.push({ access: 'write', path: undefined });
  }
  return { paths };
};

const tarFlags: FlagGrammar =
  '* -f= --file= -C/ --directory/ -T< --files-from< -X< --exclude-from< -I$ --use-compress-program$ -F$ --info-script$ --new-volume-script$ --to-command$ --checkpoint-action= --rsh-command$ --rmt-command$ -b= -g= -H= --format= -K= -L= -N= -V= --exclude= --transform= --xform= --strip-components= --owner= --group= --mode= --mtime= --sort= --checkpoint? --index-file> -c --create -x --extract --get -t --list -r --append -u --update -A --delete -d --compare --diff';

/** `tar`: reads what it packs, writes where it unpacks, and has flags that run programs. */
export const tar: Program = (call) => {
  const [first, ...rest] = call.args;
  // The old form: `tar xzf archive` has flags without a dash.
  const old = first?.value !== undefined && /^[A-Za-z]+$/.test(first.value);
  const dashed = old ? oldFlags(first.value, rest) : call.args;
  const given = readArguments(dashed, tarFlags);
  const modes = given.options.map(({ name }) => name);
  const does = (...names: readonly string[]): boolean => modes.some((name) => names.includes(name));
  const archive = given.options.find(({ name }) => name === '-f' || name === '--file')?.value;
  const folder = given.options.find(({ marks }) => marks.includes('/'))?.value ?? plainWord('.');
  const writes = does('-c', '--create', '-r', '--append', '-u', '--update', '-A', '--delete');
  const unpacks = does('-x', '--extract', '--get');
  const anywhere = does('-P', '--absolute-names');
  const paths: ShellPath[] = [
    ...optionPaths(call, given),
    ...(archive === undefined || isRemote(archive) ? [] : call.open(writes ? 'write' : 'read', archive)),
    ...(unpacks ? call.open('write', folder, true) : []),
    ...(unpacks && anywhere ? [{ access: 'write', path: undefined } as const] : []),
    ...(writes ? given.operands.flatMap((file) => call.open('read', file, true)) : []),
  ];
  return {
    ...tarCode(call, given.options),
    paths,
    ...(given.doubt === undefined ? {} : { unclear: `tar: ${given.doubt}` }),
  };
};

function oldFlags(letters: string, args: readonly ShellWord[]): readonly ShellWord[] {
  const words: ShellWord[] = [];
  let next = 0;
  for (const letter of letters) {
    words.push(plainWord(`-${letter}`));
    const value = args[next];
    if (/[fbCTXIFgHKLNV]/.test(letter) && value !== undefined) {
      words.push(value);
      next++;
    }
  }
  return [...words, ...args.slice(next)];
}

function tarCode(
  call: Call,
  options: readonly { name: string; marks: string; value: ShellWord | undefined }[],
): Effect {
  const codes = options.flatMap(({ name, marks, value }) => {
    if (value === undefined) return [];
    if (marks.includes('$')) return [value];
    if (name !== '--checkpoint-action') return [];
    if (value.value === undefined) return [value];
    return value.value.startsWith('exec=') ? [wordBehind(value, 5)] : [];
  });
  return codes.length === 0 ? {} : shellCode(call, codes);
}

/** `less +cmd` runs a command of its own, among them one that runs a program. */
export function withoutPlus(program: Program): Program {
  return (call) => {
    const effect = program(call);
    const plus = call.args.find(({ prefix, value }) => prefix.startsWith('+') && !/^\+\d*$/.test(value ?? ''));
    return plus === undefined
      ? effect
      : { ...effect, unclear: `${call.name} runs the command ${plus.spelled} of its own` };
  };
}
