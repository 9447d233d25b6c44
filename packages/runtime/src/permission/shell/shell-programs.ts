import type { Call, Effect, Program } from './command-effect.ts';
import { type Arguments, type FlagGrammar, readArguments } from './read-arguments.ts';
import { optionCode, optionPaths, shellCode } from './row-program.ts';
import { isBareWord, isInput, plainWord, type ShellWord } from './shell-word.ts';
import { joinedCode, notUnderstood } from './wrapper-program.ts';

const shellFlags: FlagGrammar =
  '-a -b -e -f -h -i -k -l -m -n -p -r -t -u -v -x -B -C -D -E -H -P -T -O= -o= -c -s --login --posix --norc --noprofile --noediting --restricted --verbose --rcfile< --init-file< --version. --help.';

/** What other shells than the one whose grammar is read take for the same. */
const plainCode = /^[\w\s./:,@%+="'&|;-]*$/;
const otherShells = /^(?:zsh|fish|csh|tcsh|ksh|mksh|oksh|yash|nu|xonsh|elvish)$/;

/** `sh -c code`, `sh script`, and `sh` that reads its code from where the line does not show it. */
export const shell: Program = (call) => {
  // `+e` takes back what `-e` sets.
  const args = call.args.map((arg) =>
    /^\+[A-Za-z]+$/.test(arg.value ?? '') ? plainWord(arg.spelled.replace('+', '-').replace('c', 'e')) : arg,
  );
  const given = readArguments(args, shellFlags, true);
  if (given.options.some(({ marks }) => marks.includes('.'))) return { readsOnly: true };
  const hasCode = given.options.some(({ name }) => name === '-c');
  const [first] = given.operands;
  const isOther = otherShells.test(call.name);
  if (hasCode && first !== undefined && first.value === undefined) return codeGiven(call, first, isOther);
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt, hasCode ? [] : given.operands);
  if (hasCode)
    return first === undefined
      ? { unclear: `${call.name} -c lacks its code` }
      : withParameters(call, codeGiven(call, first, isOther), given.operands.slice(1));
  const reads = given.options.some(({ name }) => name === '-s') || first === undefined || isInput(first);
  if (reads) return fromInput(call, isOther);
  return {
    // A script that is a program of its own, by its name or on the path: as good as started by itself.
    runs: [call.run(given.operands)],
    paths: [...call.open('read', first), ...optionPaths(call, given)],
    opaque: `${call.name} runs the script ${first.spelled}`,
    fromFiles: true,
  };
};

function codeGiven(call: Call, code: ShellWord, isOther: boolean): Effect {
  const effect = { readsOnly: true, passesThrough: true, ...shellCode(call, [code]) };
  if (!isOther || (code.value !== undefined && plainCode.test(code.value))) return effect;
  return {
    unclear: effect.unclear ?? `the code is for ${call.name}, which reads it otherwise than bash`,
    mayRun: [...(effect.runs ?? []), ...(effect.mayRun ?? [])],
  };
}

/** `sh -c '"$@"' name command`: what the code runs may be what stands behind it. */
function withParameters(call: Call, effect: Effect, parameters: readonly ShellWord[]): Effect {
  const isClear = effect.unclear === undefined && effect.runs?.every(({ unclear }) => unclear === undefined) === true;
  return isClear || parameters.length === 0
    ? effect
    : { ...effect, mayRun: [...(effect.mayRun ?? []), ...call.guess(parameters)] };
}

/** A here-document that holds the code is as good as `-c`. */
function fromInput(call: Call, isOther: boolean): Effect {
  const { input } = call;
  if (input === undefined) {
    const mayRun = call.piped === undefined ? [] : call.code(call.piped).commands;
    return { unclear: `${call.name} runs what it is given to read`, mayRun };
  }
  return codeGiven(call, input, isOther);
}

/** `su`, and `runuser` where it is like it: code, for the user's own shell. */
export const switchUser: Program = (call) => {
  const flags: FlagGrammar =
    '-c$ --command$ --session-command$ -f --fast -g= --group= -G= --supp-group= -l --login -m -p --preserve-environment -P --pty -s! --shell! -u= --user= -w= --whitelist-environment=';
  const isRunuser = call.name === 'runuser';
  const asUser = isRunuser ? readArguments(call.args, flags, true) : undefined;
  if (asUser?.options.some(({ name }) => name === '-u' || name === '--user') === true) {
    if (asUser.doubt !== undefined || asUser.operands.length === 0)
      return notUnderstood(call, asUser.doubt ?? 'no command', asUser.operands);
    return { runs: [call.run(asUser.operands)] };
  }
  const given = readArguments(call.args, flags);
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt);
  const codes = optionCode(call, given);
  return codes.runs === undefined && codes.unclear === undefined
    ? { unclear: `${call.name} starts a shell that runs what it reads` }
    : codes;
};

/** `eval` runs in this very shell: what follows may mean something else once it defined a name. */
export const evaluate: Program = (call) => {
  const words = call.args[0]?.value === '--' ? call.args.slice(1) : call.args;
  if (words.length === 0) return { readsOnly: true, passesThrough: true };
  const effect = joinedCode(call, words);
  const unclear = effect.unclear ?? changedShell(call, words);
  if (unclear === undefined) return { readsOnly: true, passesThrough: true, ...effect };
  return { unclear, mayRun: [...(effect.runs ?? []), ...(effect.mayRun ?? [])] };
};

function changedShell(call: Call, words: readonly ShellWord[]): string | undefined {
  const { changesShell } = call.code(words.map(({ spelled }) => spelled).join(' '));
  return changesShell ? `${call.name} changes what later parts of the line mean` : undefined;
}

export const source: Program = (call) => {
  const [file] = call.args;
  if (file === undefined) return { unclear: `${call.name} lacks its file` };
  const does = `${call.name} runs what stands in ${file.spelled}`;
  const effect = { paths: call.open('read', file), mayRun: [call.run(call.args)] };
  return isBareWord(file) && !isInput(file)
    ? { ...effect, opaque: does, fromFiles: true }
    : { ...effect, unclear: does };
};

export const trap: Program = (call) => {
  const given = readArguments(call.args, '-l. -p. -P.', true);
  const [code, ...signals] = given.operands;
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt);
  if (code === undefined || signals.length === 0 || code.value === '-') return { readsOnly: true };
  return { readsOnly: true, passesThrough: true, ...shellCode(call, [code]) };
};

const sshFlags: FlagGrammar =
  '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V. -v -X -x -Y -y -B= -b= -c= -D= -E> -e= -F! -I! -i< -J= -L= -l= -m= -O= -o= -P= -p= -Q. -R= -S= -W= -w=';

/** SSH settings that have no program run. */
const harmlessSettings =
  /^(?:StrictHostKeyChecking|UserKnownHostsFile|ConnectTimeout|ConnectionAttempts|BatchMode|ServerAlive\w+|LogLevel|Port|User|IdentitiesOnly|Compression|RequestTTY|PreferredAuthentications|PasswordAuthentication|PubkeyAuthentication|HostKeyAlgorithms|ForwardAgent|AddressFamily|TCPKeepAlive)\s*[= ]/i;

/** Settings of `-o` that have a program run, or that may. */
export function sshSettings(call: Call, { options }: Arguments): Effect {
  const settings = options.filter(({ name }) => name === '-o').map(({ value }) => value?.value);
  const other = settings.find((setting) => setting === undefined || !harmlessSettings.test(setting));
  if (!settings.some((setting) => setting === undefined || !harmlessSettings.test(setting))) return {};
  const code = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)\s*[= ]\s*(.*)$/is.exec(other ?? '')?.[1];
  return {
    unclear: `${call.name} is given the setting ${other ?? 'that only running tells'}`,
    ...(code === undefined ? {} : { mayRun: call.code(code).commands }),
  };
}

/** What runs on the other machine is judged as if it ran here; it is no less done for running there. */
export const remoteShell: Program = (call) => {
  const given = readArguments(call.args, sshFlags, true);
  const settings = sshSettings(call, given);
  const [, ...words] = given.operands[1]?.value === '--' ? given.operands.slice(1) : given.operands;
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt, given.operands.slice(1));
  const paths = optionPaths(call, given);
  if (words.length === 0) {
    return {
      ...settings,
      paths,
      ...(call.input === undefined ? {} : { opaque: `${call.name} runs what it is given to read` }),
    };
  }
  return { ...joinedCode(call, words), ...settings, paths };
};

/** `flock file command` and `flock file -c code`. */
export const flock: Program = (call) => {
  const flags: FlagGrammar =
    '-c$ --command$ -E= --conflict-exit-code= -e -x --exclusive -F --no-fork -n --nb --nonblock -o --close -s --shared -u --unlock --verbose -w= --timeout= --wait=';
  const given = readArguments(call.args, flags, true);
  const [file, first, second] = given.operands;
  if (given.doubt !== undefined || file === undefined) return notUnderstood(call, given.doubt ?? 'it lacks its file');
  const paths = call.open('write', file);
  if (first === undefined) return { ...optionCode(call, given), paths };
  if (/^(?:-c|--command)$/.test(first.value ?? ''))
    return second === undefined ? { paths } : { ...shellCode(call, [second]), paths };
  return { runs: [call.run(given.operands.slice(1))], paths };
};

/** `script -c code file`, and `script file command` of BSD. */
export const script: Program = (call) => {
  const flags: FlagGrammar =
    '-a -c$ --command$ -e -f -q -r -k -p -d -O> -I> -B> -T> -E= -o= -m= -t? --quiet --append --flush --return --force --log-out> --log-in> --log-io>';
  const given = readArguments(call.args, flags);
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt);
  const [file, ...words] = given.operands;
  const paths = file === undefined ? [] : call.open('write', file);
  const codes = optionCode(call, given);
  if (words.length > 0) return { runs: [call.run(words), ...(codes.runs ?? [])], paths };
  if (codes.runs === undefined && codes.unclear === undefined)
    return { unclear: 'script starts a shell that runs what it reads', paths };
  return { ...codes, paths };
};
