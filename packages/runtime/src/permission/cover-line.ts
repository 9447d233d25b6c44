import { coverPath, fileRules, namesProtectedPlace } from './covers-path.ts';
import { isInDirectories, isProtectedWrite, type JudgedCall, type SourcedRule } from './judged-call.ts';
import type { JudgedPath } from './judged-paths.ts';
import { printRule } from './print-rule.ts';
import type { ShellCommand, ShellLine } from './shell/shell-line.ts';
import { unclearPart } from './unseen-part.ts';
import { allCommands, allowsCommand, allowsLine, grantsWhatItRuns, shellPatternOf } from './shell-rule.ts';
import { withoutSecrets } from './print-rule.ts';

/** What allows one command of a line, or why nothing does. */
export interface CommandReport {
  readonly text: string;
  readonly covered: boolean;
  /** No sentence's end. */
  readonly why: string;
  readonly by?: SourcedRule;
  /** The path that nothing lets it open. */
  readonly path?: JudgedPath;
  /** The command that it is about. */
  readonly command?: ShellCommand;
  /** Those that it runs, where they count. */
  readonly runs?: readonly CommandReport[];
}

export interface LineReport {
  readonly covered: boolean;
  /** The first rule that took part. Absent where the line is covered without one. */
  readonly by?: SourcedRule;
  readonly commands: readonly CommandReport[];
  /** Why the line as a whole cannot be covered. */
  readonly problem?: string;
}

export interface CoverOptions {
  /** Commands that make, move and copy files in the session's folders need no rule. */
  readonly edits?: boolean;
  /** Reading needs no rule wherever it is. */
  readonly readsAnywhere?: boolean;
  /** No rule for files lets it write: it is asked whether the line only reads. */
  readonly onlyReads?: boolean;
}

/** Whether the rules allow every command of the line, each by itself: by a rule, since it only reads, or through those it runs. */
export function coverLine(rules: readonly SourcedRule[], call: JudgedCall, options: CoverOptions = {}): LineReport {
  const { shell } = call;
  if (shell === undefined) return { covered: false, commands: [], problem: 'it is no shell line' };
  if (shell.commands.length === 0) return coverForeignLine(rules, shell);
  const problem = unclearPart(shell);
  if (shell.unclear === undefined && problem === undefined) {
    const whole = rules.find(({ rule }) => spellsLine(rule, shell) && (!call.isProtected || namesAll(rule)));
    if (whole !== undefined) {
      const why = `the line is spelled by ${printRule(whole.rule)}`;
      return { covered: true, by: whole, commands: [{ text: shown(shell.text), covered: true, why, by: whole }] };
    }
  }
  const commands = shell.commands.map((command) => coverCommand(rules, command, call, options));
  if (shell.unclear !== undefined) return { covered: false, commands, problem: shell.unclear };
  const by = commands.map(firstRule).find((rule) => rule !== undefined) ?? ruleOfRedirects(call);
  return { covered: commands.every(({ covered }) => covered), commands, ...(by === undefined ? {} : { by }) };
}

/** The rule for files that lets the line write, where none for commands took part. */
function ruleOfRedirects(call: JudgedCall): SourcedRule | undefined {
  const written = call.paths.paths.filter(({ access, redirect, maybe }) => access === 'write' && redirect && !maybe);
  const rules = written.map((path) => coverPath(fileRules(call.policy, 'write'), path, call));
  return rules.find((rule) => rule !== undefined && rule !== true);
}

/** A line of another shell: what no sign of any grammar could turn into more than one plain command. */
function coverForeignLine(rules: readonly SourcedRule[], shell: ShellLine): LineReport {
  const isPlain = shell.isForeign === true && !/[(){}$@%#]/.test(shell.text);
  const by = isPlain ? rules.find(({ rule }) => allowsLine(rule, shell)) : undefined;
  const text = shown(shell.text);
  if (by === undefined) return { covered: false, commands: [], problem: shell.unclear ?? 'there is no command in it' };
  return { covered: true, by, commands: [{ text, covered: true, why: `allowed by ${printRule(by.rule)}`, by }] };
}

function coverCommand(
  rules: readonly SourcedRule[],
  command: ShellCommand,
  call: JudgedCall,
  options: CoverOptions,
): CommandReport {
  const text = shown(command.text);
  const not = (why: string, more: Pick<CommandReport, 'runs' | 'path'> = {}): CommandReport => ({
    text,
    covered: false,
    why,
    command,
    ...more,
  });
  const yes = (why: string, more: Pick<CommandReport, 'by' | 'runs'> = {}): CommandReport => ({
    text,
    covered: true,
    why,
    ...more,
  });
  if (command.unclear !== undefined) return not(`nobody can tell what it does: ${command.unclear}`);
  const paths = call.paths.paths.filter((path) => path.command === command && path.maybe !== true);
  const redirect = paths
    .filter((path) => path.redirect === true)
    .find(
      (path) =>
        !mayOpen(path, call, options) || (options.edits === true && path.access === 'write' && path.within === true),
    );
  if (redirect !== undefined)
    return not(`nothing lets it ${redirect.access} ${shown(redirect.written)}`, { path: redirect });
  const run = (): readonly CommandReport[] => command.runs.map((each) => coverCommand(rules, each, call, options));

  const moved = isElsewhere(command, call);
  const by = moved ? undefined : rules.find(({ rule }) => allowsCommand(rule, command));
  if (by !== undefined) {
    const pattern = shellPatternOf(by.rule);
    const argument = paths.find(
      (path) => path.access === 'write' && path.redirect !== true && !mayOpen(path, call, { edits: true }),
    );
    const isNamed =
      pattern.isExact ||
      (argument !== undefined && isProtectedWrite(argument, call.policy) && namesProtectedPlace(by.rule));
    if (argument !== undefined && !isNamed)
      return not(`nothing lets it write ${shown(argument.written)}`, { path: argument });
    if (grantsWhatItRuns(by.rule, command)) return yes(`allowed by ${printRule(by.rule)}`, { by });
    const runs = run();
    const missing = runs.find(({ covered }) => !covered);
    if (missing === undefined) return yes(`allowed by ${printRule(by.rule)}`, { by, ...(runs.length > 0 && { runs }) });
    return not(`it runs ${missing.text}, which is not allowed`, { runs });
  }
  if (command.risky !== undefined) return not(`${command.risky}, which no rule names`);
  if (command.words.length === 0) return yes('it only sets variables');
  if (command.passesThrough && command.runs.length > 0) {
    const closed = paths.find((path) => !mayOpen(path, call, options));
    if (closed !== undefined) return not(`nothing lets it ${closed.access} ${shown(closed.written)}`, { path: closed });
    const runs = run();
    return runs.every(({ covered }) => covered)
      ? yes('it only runs what is allowed', { runs })
      : not('it runs what is not allowed', { runs });
  }
  if (command.readsOnly || command.onlyRedirects === true)
    return readsOnly(command, paths, { call, options, run, yes, not });
  if (options.edits === true && editsFiles(command, paths, call))
    return yes('acceptEdits allows it in the session directories');
  if (moved) return not('after cd its relative name is another file');
  return not(
    command.opaque === undefined
      ? 'no rule allows it'
      : `no rule allows it, and it runs code that is not judged: ${command.opaque}`,
  );
}

/** A program that is named by a relative path is another one once the line has changed its folder. */
function isElsewhere({ words }: ShellCommand, { shell }: JudgedCall): boolean {
  const [name = ''] = words;
  if (!name.includes('/') || name.startsWith('/') || shell === undefined) return false;
  return allCommands(shell).some((each) => /^(?:cd|pushd|popd)$/.test(each.words[0] ?? ''));
}

interface Reading {
  readonly call: JudgedCall;
  readonly options: CoverOptions;
  readonly run: () => readonly CommandReport[];
  readonly yes: (why: string, more?: Pick<CommandReport, 'runs'>) => CommandReport;
  readonly not: (why: string, more?: Pick<CommandReport, 'runs' | 'path'>) => CommandReport;
}

function readsOnly(
  command: ShellCommand,
  paths: readonly JudgedPath[],
  { call, options, run, yes, not }: Reading,
): CommandReport {
  const runs = run();
  if (!runs.every(({ covered }) => covered)) return not('it runs what is not allowed', { runs });
  const closed = paths.find((path) => !mayOpen(path, call, options));
  if (closed !== undefined)
    return not(`it reads ${shown(closed.written)}, which is outside the session directories`, { path: closed });
  const repository = paths.find((path) => path.repository === true && !isSessionFolder(path, call));
  if (repository !== undefined)
    return not(`the repository in ${shown(repository.written)} may have git run something of its own`);
  const linked =
    options.readsAnywhere === true || namesOnly.has(command.words[0] ?? '')
      ? undefined
      : paths.find(({ within }) => within === true);
  if (linked !== undefined) return not(`a link in ${shown(linked.written)} may lead it elsewhere`);
  const writes = paths.some(({ access }) => access === 'write');
  return yes(writes ? 'it only writes what it redirects' : 'it only reads', runs.length > 0 ? { runs } : {});
}

/** Of no other repository is it known what it has git run. */
function isSessionFolder({ forms }: JudgedPath, { policy, paths }: JudgedCall): boolean {
  const [folder = '/'] = policy.directories;
  return forms.every((form) => form !== undefined && (form === folder || form === paths.resolved(folder)));
}

/** Programs that show of the files in a folder no more than that they are there. */
const namesOnly = new Set([
  'ls',
  'echo',
  'printf',
  'stat',
  'du',
  'basename',
  'dirname',
  'realpath',
  'readlink',
  'wc',
  'test',
  '[',
]);

/** Programs that only make, move and copy files. `rm` of whole folders is none of them: nothing brings those back. */
const fileCommands = new Set(['mkdir', 'touch', 'mv', 'cp', 'rmdir', 'rm']);

function editsFiles(command: ShellCommand, paths: readonly JudgedPath[], call: JudgedCall): boolean {
  const [name = ''] = command.words;
  if (!fileCommands.has(name) || command.runs.length > 0 || command.opaque !== undefined) return false;
  if (name === 'rm' && command.words.some((word) => /^-(?:-recursive|[^-]*[rR])/.test(word ?? ''))) return false;
  if (
    command.words.includes(undefined) ||
    !paths.some(({ access, redirect }) => access === 'write' && redirect !== true)
  )
    return false;
  return paths.every(
    (path) => isInDirectories(path, call) && path.within !== true && !isProtectedWrite(path, call.policy),
  );
}

/** Whether the session's folders, or a rule for files, let the path be opened. */
function mayOpen(path: JudgedPath, call: JudgedCall, options: CoverOptions): boolean {
  const { policy } = call;
  const { edits = false, readsAnywhere = false, onlyReads = false } = options;
  if (path.access === 'write' && onlyReads) return false;
  if (path.access === 'read') {
    return (
      readsAnywhere || isInDirectories(path, call) || coverPath(fileRules(policy, 'read'), path, call) !== undefined
    );
  }
  const isGuarded = isProtectedWrite(path, policy);
  if (edits && !isGuarded && path.forms.length > 0 && isInDirectories(path, call)) return true;
  return coverPath(fileRules(policy, 'write'), path, { ...call, isProtected: isGuarded }) !== undefined;
}

/** Only a rule for the whole line, or one without a star, grants what the line redirects. */
function spellsLine(rule: SourcedRule['rule'], shell: ShellLine): boolean {
  if (rule.content === undefined) return false;
  const pattern = shellPatternOf(rule);
  if (rule.literal !== true && pattern.floats && !/[<>]/.test(rule.content))
    return pattern.isExact && allowsLine(rule, shell);
  return (pattern.isExact || pattern.parts.length > 1 || pattern.floats) && allowsLine(rule, shell);
}

function namesAll(rule: SourcedRule['rule']): boolean {
  return shellPatternOf(rule).isExact || namesProtectedPlace(rule);
}

function firstRule({ by, runs = [] }: CommandReport): SourcedRule | undefined {
  return by ?? runs.map(firstRule).find((rule) => rule !== undefined);
}

function shown(text: string): string {
  return withoutSecrets(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
