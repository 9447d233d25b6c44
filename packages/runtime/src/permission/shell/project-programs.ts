import type { Call, Effect, Program } from './command-effect.ts';
import { type FlagGrammar, readArguments } from './read-arguments.ts';
import { shellCode } from './row-program.ts';
import type { ShellWord } from './shell-word.ts';
import { notUnderstood } from './wrapper-program.ts';

/** Interpreters: what they run, no table can tell. A rule for one grants whatever code it is given. */
export const interpreters: readonly string[] = [
  'python pypy node nodejs deno bun tsx ts-node ruby irb perl raku php lua luajit Rscript R julia osascript tclsh wish guile sbcl clisp racket scheme',
  'scala groovy swift elixir iex erl escript runghc ghci clojure clj bb pwsh powershell cmd java dart crystal nim awk gawk mawk nawk bc dc octave ipython jupyter',
  'ed ex vi vim nvim view emacs emacsclient nano pico micro hx kak gvim man info m4 gnuplot',
]
  .join(' ')
  .split(' ');

/** Programs that run what a file of the project says. */
export const projectRunners: readonly string[] =
  'make gmake bmake ninja just task rake invoke mage bazel buck2 please scons waf meson jake gulp grunt tox nox pre-commit husky lefthook act earthly dagger skaffold tilt vagrant'.split(
    ' ',
  );

/** `--version` and nothing else runs nothing but the program itself. */
const asksVersion = /^(?:--version|-V|--help)$/;

export const interpreter: Program = ({ name, args, open }) => {
  if (args.length === 1 && asksVersion.test(args[0]?.value ?? '')) return { readsOnly: true };
  const script = args.find(({ prefix }) => !prefix.startsWith('-') && !prefix.startsWith('+'));
  const isCode = args.some(({ prefix }) => /^-(?:[A-Za-z]*[ceEpSr]|-eval|-print|-command|-exec)/.test(prefix));
  const paths = script === undefined || isCode ? [] : open('read', script);
  return { opaque: `${name} runs code that nobody reads here`, paths };
};

export const projectRunner: Program = ({ name, args, open }) => {
  if (args.length === 1 && asksVersion.test(args[0]?.value ?? '')) return { readsOnly: true };
  const at = args.findIndex(({ value }) => /^(?:-f|--file|--makefile)$/.test(value ?? ''));
  const file = at < 0 ? undefined : args[at + 1];
  return {
    opaque: `${name} runs what a file of the project says`,
    paths: file === undefined ? [] : open('read', file),
  };
};

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
  if (codes.length > 0) return { ...shellCode(call, codes), opaque };
  const [program, ...rest] = given.operands;
  if (program === undefined) return { opaque };
  const name = /^(@?[^@]+)@[^@]*$/.exec(program.value ?? '')?.[1];
  const named = name === undefined ? program : { ...program, value: name, spelled: name };
  return { runs: [call.run([named, ...rest])], opaque };
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
  if (plainCommands.test(value)) return {};
  const opaque = `${call.name} ${value} runs scripts of the project or of packages`;
  // `yarn rimraf` starts a package's program where no script has that name.
  return /^(?:yarn|pnpm|bun)$/.test(call.name) ? { opaque, mayRun: call.guess(given.operands) } : { opaque };
};

/** `go run`, `cargo run` and what else compiles and starts what it finds. */
export const compiler: Program = ({ name, args }) => {
  const command = args.find(({ prefix }) => !prefix.startsWith('-') && !prefix.startsWith('+'))?.value;
  const runs = /^(?:run|test|generate|bench|tool|build|check|clippy|install|doc|r|t|b|c)$/.test(command ?? '');
  return runs ? { opaque: `${name} ${command} runs code of the project` } : {};
};
