import type { Call, Effect, Program } from './command-effect.ts';
import { asksVersion } from './interpreter-programs.ts';
import { type FlagGrammar, readArguments } from './read-arguments.ts';
import { shellCode } from './row-program.ts';
import { isBareWord, isInput, type ShellWord } from './shell-word.ts';
import { notUnderstood } from './wrapper-program.ts';

/** Programs that run what a file of the project says. */
export const projectRunners: readonly string[] =
  'make gmake bmake ninja just task rake invoke mage bazel buck2 please scons waf meson jake gulp grunt tox nox pre-commit husky lefthook act earthly dagger skaffold tilt vagrant'.split(
    ' ',
  );

/** Flags of theirs that take code or a program to run. */
const codeFlag =
  /^(?:--(?:eval|execute\S*|command|shell\S*|run_under|exec)(?:$|=)|-[eEpc]$|-[^-]*toolexec|--?(?:vet)?tool(?:$|=)|-exec(?:$|=)|--config(?:$|=)|-Clinker|-Dexec|linker=|-wrapper|-I$|--init-script)/;

/**
 * What a file of the project says, it says for the command as it stands: nothing else among the words is code. A value
 * that is set may name a program (`CC=rm`).
 */
function fromProject(call: Call, opaque: string, args: readonly ShellWord[] = call.args): Effect {
  const isPlain =
    args.every((word) => isBareWord(word) && !codeValue.test(word.spelled)) &&
    !args.some((word) => (call.name === 'tox' ? false : codeFlag.test(word.spelled)));
  if (!isPlain) return { opaque, mayRun: call.guess(args) };
  const values = args.flatMap((word) => {
    const at = /^[A-Za-z_]\w*[:?+]?=/.exec(word.spelled)?.[0].length;
    return at === undefined || at === word.spelled.length ? [] : call.code(word.spelled.slice(at)).commands;
  });
  return { opaque, fromFiles: true, mayRun: values };
}

/** What has a makefile come from the line, or a shell of another name run its recipes. */
const codeValue =
  /^-$|=-$|^-f-$|\/dev\/(?:stdin|fd)|\/proc\/|^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKEFILES)\W?=|^(?:data|https?):/;

export const projectRunner: Program = (call) => {
  const { name, args, open } = call;
  if (args.length === 1 && asksVersion.test(args[0]?.value ?? '')) return { readsOnly: true };
  const at = args.findIndex(({ value }) => /^(?:-f|--file|--makefile)$/.test(value ?? ''));
  const file = at < 0 ? undefined : args[at + 1];
  return {
    ...fromProject(call, `${name} runs what a file of the project says`),
    paths: file === undefined ? [] : open('read', file),
  };
};

/** Programs that run or compile the files that they are given, or that they find. */
export const fileRunners: readonly string[] =
  'pytest jest vitest mocha ava tap playwright cypress rspec phpunit ctest gcc g++ cc c++ clang clang++ javac kotlinc swiftc'.split(
    ' ',
  );

/** What they run, files hold: no rule has to name it, and a line that writes one of those files is told by it. */
export function runningFiles(program: Program): Program {
  return (call) => {
    const effect = program(call);
    if (call.args.length === 1 && asksVersion.test(call.args[0]?.value ?? '')) return effect;
    const files = call.args.filter((word) => isBareWord(word) && !word.prefix.startsWith('-'));
    if (effect.opaque !== undefined) return effect;
    const paths = files.flatMap((file) => call.open('read', file));
    return {
      ...effect,
      opaque: `${call.name} runs code of the project`,
      fromFiles: true,
      paths: [...(effect.paths ?? []), ...paths],
    };
  };
}

const npxFlags: FlagGrammar =
  '-y --yes -n --no --no-install -q --quiet -s --silent -p= --package= -c$ --call$ -w= --workspace= --workspaces -C/ --dir/ --cwd/ --prefix/ -r --recursive --filter= -F= --shell-mode! --parallel --offline --prefer-offline --ignore-existing --bun --isolated --with= --from= --python= --spec= --pip-args= --no-progress --refresh --env-file< --frozen --locked --no-sync --all-extras --extra= --group= --project/ --directory/ --no-project -v. --version. --help.';

/** `npx program`, `uvx program`: fetched first where it is not there, and named by whoever publishes it. */
export const packageRunner: Program = (call) => packageCommand(call, call.args);

function packageCommand(call: Call, args: readonly ShellWord[]): Effect {
  const given = readArguments(args, npxFlags, true);
  if (given.options.some(({ marks }) => marks.includes('.'))) return {};
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt, given.operands);
  const opaque = `${call.name} may fetch what it runs`;
  const codes = given.options.flatMap(({ marks, value }) =>
    marks.includes('$') && value !== undefined ? [value] : [],
  );
  // What it fetches is as much a file as what is there; the words behind it are judged as the command that they are.
  if (codes.length > 0) return { ...shellCode(call, codes), opaque, fromFiles: true };
  const [program, ...rest] = given.operands;
  if (program === undefined || isInput(program)) return { opaque };
  const name = /^(@?[^@]+)@[^@]*$/.exec(program.value ?? '')?.[1];
  const named = name === undefined ? program : { ...program, value: name, spelled: name };
  return { runs: [call.run([named, ...rest])], opaque, fromFiles: true };
}

/** Commands that start a package's program, by package manager. */
const starters = new Map([
  ['npm', /^(?:exec|x)$/],
  ['pnpm', /^(?:exec|dlx)$/],
  ['yarn', /^(?:exec|dlx|node)$/],
  ['bun', /^x$/],
  ['uv', /^run$/],
  ['poetry', /^run$/],
  ['pipenv', /^run$/],
  ['pdm', /^run$/],
  ['hatch', /^run$/],
  ['rye', /^run$/],
  ['pixi', /^run$/],
  ['pipx', /^run$/],
  ['conda', /^run$/],
  ['mamba', /^run$/],
  ['bundle', /^exec$/],
  ['rbenv', /^exec$/],
  ['pyenv', /^exec$/],
  ['asdf', /^exec$/],
  ['mise', /^(?:exec|x)$/],
  ['volta', /^run$/],
  ['fnm', /^exec$/],
  ['composer', /^exec$/],
  ['nix', /^(?:run|shell|develop)$/],
  ['direnv', /^exec$/],
]);

export const packageManagers: readonly string[] = [...starters.keys()];

/** Commands of package managers that run no script of the project and no package's program. */
const plainCommands =
  /^(?:ls|list|la|ll|view|v|info|show|search|s|outdated|audit|help|bin|root|prefix|config|c|get|set|ping|whoami|why|explain|licenses|fund|doctor|docs|repo|bugs|home|dist-tag|owner|access|token|team|profile|star|stars|unstar|deprecate|login|logout|adduser|completion|tree|lock|check|env|python|pip|cache|self|tool|where|current|local|global|versions|which|plugin|use|--version|-v|--help|-h)$/;

/** `npm exec`, `poetry run` and the like run a program; `npm run`, and what a manager does not know, the project's scripts. */
export const packageManager: Program = (call) => {
  const given = readArguments(call.args, `${npxFlags} *`, true);
  const [command, ...args] = given.operands;
  if (command === undefined)
    return call.args.length === 1 ? {} : { opaque: `${call.name} may run scripts of the project` };
  const { value } = command;
  if (value === undefined) return notUnderstood(call, `${command.spelled} may be any command of it`, args);
  if (starters.get(call.name)?.test(value) === true) return packageCommand(call, args);
  const setting = settingOf(value, args);
  if (setting !== undefined)
    return { opaque: `${call.name} sets ${setting}, which later calls of it may run`, mayRun: call.guess(args) };
  if (plainCommands.test(value)) return {};
  const opaque = `${call.name} ${value} runs scripts of the project or of packages`;
  if (given.doubt !== undefined || hasCodeSetting(call.args, command))
    return { opaque, mayRun: call.guess(given.operands) };
  // `yarn rimraf` starts a package's program where no script has that name; a script may be a wrapper of what it is given.
  const handed = /^(?:run|run-script|rum|urn)$/.test(value)
    ? args.slice(1)
    : /^(?:test|tst|t|start)$/.test(value)
      ? args
      : [];
  const guessed = /^(?:yarn|pnpm|bun)$/.test(call.name) ? given.operands : handed;
  return { opaque, fromFiles: true, mayRun: call.guess(guessed) };
};

/** Settings of package managers that name a program or hold code, given as flags; behind `--` they are the script's own. */
const codeSetting =
  /^--(?:script-?shell|shell|node-?options|eval|print|call|init-?module|git|editor|viewer|browser|python)(?:=|$)/i;

function hasCodeSetting(args: readonly ShellWord[], command: ShellWord): boolean {
  const end = args.findIndex(({ value }) => value === '--');
  const own = end < 0 ? args : args.slice(0, end);
  const at = own.indexOf(command);
  if (own.some(isInput)) return true;
  return own.some(({ prefix }, index) => codeSetting.test(prefix) || (index < at && /^-[a-z]*[cep]/.test(prefix)));
}

/** What stands in the line becomes what the project's scripts are. */
function settingOf(command: string, args: readonly ShellWord[]): string | undefined {
  const [first] = args;
  const isSet = /^(?:pkg|config|c|self)$/.test(command)
    ? /^(?:set|set-script|add|edit)$/.test(first?.value ?? 'set')
    : /^(?:set|set-script)$/.test(command);
  return isSet && args.length > 0 ? (args.at(-1)?.spelled ?? command) : undefined;
}

/** `go run`, `cargo run` and what else compiles and starts what it finds. */
export const compiler: Program = (call) => {
  const { name, args } = call;
  const at = args.findIndex(({ prefix }) => !prefix.startsWith('-') && !prefix.startsWith('+'));
  const command = args[at]?.value;
  const runs = /^(?:run|test|generate|bench|tool|build|check|clippy|install|doc|r|t|b|c)$/.test(command ?? '');
  const effect = fromProject(call, `${name} ${command ?? ''} runs code of the project`);
  if (effect.fromFiles === true && !runs) return {};
  const isRun = /^(?:run|r|exec|tool)$/.test(command ?? '');
  return isRun ? { ...effect, mayRun: [...(effect.mayRun ?? []), ...call.guess(args.slice(at + 1))] } : effect;
};
