import type { ShellCommand } from './shell/shell-line.ts';

/** Subcommands that do the same kind of thing whatever is written behind them. `''` is the program by itself. */
const safeForms: Readonly<Record<string, string>> = {
  git: 'status log diff show add commit fetch pull branch switch checkout merge stash tag blame worktree',
  npm: 'test ls outdated view audit',
  pnpm: 'test ls outdated view audit',
  yarn: 'test list outdated info',
  bun: 'test',
  cargo: 'build test check fmt clippy doc tree',
  go: 'build test vet fmt list',
  dotnet: 'build test',
  mvn: 'test compile package',
  gradle: 'test build check',
  gh: 'pr_view pr_list pr_diff pr_checks issue_view issue_list run_view run_list',
  docker: 'ps images logs inspect',
  kubectl: 'get describe logs',
  terraform: 'plan validate fmt',
  ...Object.fromEntries(
    [
      'mkdir',
      'touch',
      'tsc',
      'eslint',
      'prettier',
      'biome',
      'oxlint',
      'vitest',
      'jest',
      'pytest',
      'ruff',
      'mypy',
      'black',
    ].map((name) => [name, '.']),
  ),
};

/** Programs whose `run NAME` is as safe as the script of that name. */
const scriptRunners = new Set(['npm', 'pnpm', 'yarn', 'bun']);

const longest = 300;

/**
 * The content of a rule that would have allowed the command: a prefix where everything behind it is of a kind, else
 * exactly the command. Undefined for what is better not written down, or cannot be.
 */
export function suggestShellRule({ text, words, spelled, assignments, unclear }: ShellCommand): string | undefined {
  if (unclear !== undefined || text.length > longest || /[*\n]/.test(text) || text.trim() === '') return undefined;
  const prefix = assignments.length === 0 ? safePrefix(words, spelled) : undefined;
  // What the text says is what the words are: quoting in the prefix would make it another text.
  return prefix !== undefined && text.startsWith(prefix) ? `${prefix}:*` : text;
}

function safePrefix(words: ShellCommand['words'], spelled: readonly string[]): string | undefined {
  const [name, first, second] = words;
  if (name === undefined || !Object.hasOwn(safeForms, name)) return undefined;
  const forms = (safeForms[name] ?? '').split(' ');
  if (forms[0] === '.') return name;
  if (first === undefined || !/^[\w:-]+$/.test(first)) return undefined;
  if (scriptRunners.has(name) && first === 'run') {
    return second !== undefined && /^[\w:.-]+$/.test(second) && !second.startsWith('-')
      ? spelled.slice(0, 3).join(' ')
      : undefined;
  }
  if (forms.includes(first)) return `${name} ${first}`;
  return second !== undefined && forms.includes(`${first}_${second}`) ? `${name} ${first} ${second}` : undefined;
}
