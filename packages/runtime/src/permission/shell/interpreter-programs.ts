import type { Program } from './command-effect.ts';
import { type FlagGrammar, readArguments } from './read-arguments.ts';
import { isBareWord, isInput, type ShellWord } from './shell-word.ts';

/** Interpreters: what they run, no table can tell. A rule for one grants whatever code it is given. */
export const interpreters: readonly string[] = [
  'python pypy node nodejs deno bun tsx ts-node ruby irb perl raku php lua luajit Rscript R julia osascript tclsh wish guile sbcl clisp racket scheme',
  'scala groovy swift elixir iex erl escript runghc ghci clojure clj bb pwsh powershell cmd java dart crystal nim awk gawk mawk nawk bc dc octave ipython jupyter',
  'ed ex vi vim nvim view emacs emacsclient nano pico micro hx kak gvim man info m4 gnuplot',
]
  .join(' ')
  .split(' ');

interface InterpreterRow {
  readonly names: string;
  /** Flags that carry no code and have it read none: with any other one, it is not known to run a file. */
  readonly flags: FlagGrammar;
  /** What stands in front of the file: `run` of `deno`. */
  readonly commands?: RegExp;
  /** Flags with which it finds its files by itself. */
  readonly alone?: RegExp;
}

/** How interpreters are told what file they run. Those that are not here may be given code in ways of their own. */
const rows: readonly InterpreterRow[] = [
  { names: 'python pypy', flags: '-b -B -d -E -I -O -OO -P -q -s -S -u -v -W= -x -X=' },
  {
    names: 'node nodejs',
    flags:
      '--test --test-only --test-reporter= --test-concurrency= --test-name-pattern= --test-timeout= --test-shard= --test-force-exit --experimental-test-coverage --watch --check --no-warnings --enable-source-maps --trace-warnings --trace-uncaught --trace-deprecation --no-deprecation --throw-deprecation --pending-deprecation --expose-gc --preserve-symlinks --experimental-strip-types --experimental-transform-types --experimental-vm-modules --max-old-space-size= --stack-size= --conditions= -C= --env-file= --env-file-if-exists= --unhandled-rejections= -r= --require= --import= --loader= --experimental-loader= --run=',
    alone: /^--(?:test|run)$/,
  },
  {
    names: 'tsx',
    flags: '--no-cache --tsconfig= --env-file= --test --conditions= -r= --require= --import=',
    alone: /^--test$/,
  },
  {
    names: 'ts-node',
    flags:
      '-T --transpile-only --transpileOnly --files --esm --swc -P= --project= -O= -r= --require= -C= --cwd= --prefer-ts-exts',
  },
  {
    names: 'deno',
    flags:
      '-A --allow-all --allow-read? --allow-write? --allow-net? --allow-env? --allow-run? --allow-sys? --allow-ffi? --no-check --no-lock --no-prompt --quiet -q --unstable? --frozen --cached-only --watch? -c= --config= --filter= --parallel --coverage?',
    commands: /^(?:run|test|bench|task|fmt|lint|check|cache|compile|doc)$/,
    alone: /^(?:test|bench|fmt|lint|check)$/,
  },
  { names: 'ruby', flags: '-w -W? -d -I= -r= -U --yjit --jit --disable= --enable= --encoding=' },
  { names: 'perl', flags: '-w -W -X -t -T -I= -U -c -M= -m=' },
  { names: 'php', flags: '-n -q -l -d=' },
  { names: 'lua luajit', flags: '-E -W -l=' },
  { names: 'Rscript', flags: '--vanilla --verbose --no-save --no-restore --no-environ --default-packages=' },
  { names: 'julia', flags: '--project? -t= --threads= -O? -q --quiet --startup-file= --color= -p=' },
  { names: 'java', flags: '-jar -cp= -classpath= --class-path= -ea -server --enable-preview -X? -D?' },
  { names: 'dart swift', flags: '*', commands: /^(?:run|test|build|analyze|format|compile|pub|package)$/, alone: /./ },
  { names: 'tclsh guile racket raku groovy scala runghc bb osascript octave elixir escript', flags: '' },
  { names: 'man info m4 gnuplot', flags: '' },
];

let byName: ReadonlyMap<string, InterpreterRow> | undefined;

function rowNamed(name: string): InterpreterRow | undefined {
  byName ??= new Map(rows.flatMap((row) => row.names.split(' ').map((each) => [each, row] as const)));
  return byName.get(name) ?? byName.get(name.replace(/-?\d+(?:\.\d+)*$/, ''));
}

/** Modules of Python that run code which stands in their arguments, or that they read. */
const codeModules =
  /^(?:timeit|pdb|code|codeop|trace|runpy|asyncio|IPython|ipython|jupyter|ptpython|bpython|idlelib|doctest)(?:\.|$)/;

/** Values that are code, or that have it read from where the line may put it. */
const codeValue = /^(?:data|https?|blob|php):|stdin|\/dev\/fd|\/proc\/|auto_(?:prepend|append)|^X:On|;/i;

/** `--version` and nothing else runs nothing but the program itself. */
export const asksVersion = /^(?:--version|-V|--help)$/;

/** The code of an interpreter stands in the line unless it is plain that a file holds it. */
export const interpreter: Program = (call) => {
  const { name, args, open, guess } = call;
  if (args.length === 1 && asksVersion.test(args[0]?.value ?? '')) return { readsOnly: true };
  const opaque = `${name} runs code that nobody reads here`;
  const found = codeFile(name, args);
  if (found !== undefined) {
    const { file, rest } = found;
    return {
      opaque,
      fromFiles: true,
      paths: file === undefined ? [] : open('read', file),
      mayRun: guess(file === undefined ? rest : [file, ...rest]),
    };
  }
  const script = args.find(({ prefix }) => !prefix.startsWith('-') && !prefix.startsWith('+'));
  const isCode = args.some(({ prefix }) => /^-(?:[A-Za-z]*[ceEpSr]|-eval|-print|-command|-exec)/.test(prefix));
  return { opaque, paths: script === undefined || isCode ? [] : open('read', script) };
};

/** The file that it runs, and what it hands it; no file where it finds those by itself. Undefined: it may run other code. */
function codeFile(
  name: string,
  args: readonly ShellWord[],
): { readonly file?: ShellWord; readonly rest: readonly ShellWord[] } | undefined {
  const row = rowNamed(name);
  if (row === undefined) return undefined;
  const at = /^(?:python|pypy)/.test(name) ? args.findIndex(({ value }) => value === '-m') : -1;
  const given = readArguments(at < 0 ? args : args.slice(0, at), row.flags, true);
  const isCarrying = given.options.some(
    ({ value }) => value !== undefined && (!isBareWord(value) || codeValue.test(value.spelled)),
  );
  if (given.doubt !== undefined || isCarrying) return undefined;
  let { operands } = given;
  if (at >= 0) {
    const [module, ...rest] = args.slice(at + 1);
    const isFile =
      operands.length === 0 && module !== undefined && isBareWord(module) && !codeModules.test(module.spelled);
    return isFile ? { rest } : undefined;
  }
  let isAlone = given.options.some((option) => row.alone?.test(option.name) === true);
  if (row.commands !== undefined) {
    const [command, ...behind] = operands;
    if (command === undefined || !isBareWord(command) || !row.commands.test(command.spelled)) return undefined;
    const inner = readArguments(behind, row.flags, true);
    if (inner.doubt !== undefined || !behind.every(isBareWord)) return undefined;
    operands = inner.operands;
    isAlone ||= row.alone?.test(command.spelled) === true;
  }
  const [file, ...rest] = operands;
  if (file === undefined) return isAlone ? { rest } : undefined;
  if (isAlone && file.below !== undefined) return { rest };
  return isBareWord(file) && !isInput(file) && !codeValue.test(file.spelled) ? { file, rest } : undefined;
}
