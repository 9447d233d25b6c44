import { baseName, isWrapper } from './granted-code.ts';
import type { PolicyRule } from './policy.ts';
import type { ShellCommand, ShellLine } from './shell/shell-line.ts';
import { compileShellPattern, floatingPattern, type ShellPattern } from './shell-pattern.ts';
import type { Wildcard } from './shell-wildcard.ts';
import type { Touch } from './touch.ts';
import { withoutTrailing } from './without-trailing.ts';
import { filesRead, writesAndRuns } from './written-and-run.ts';

const patterns = new WeakMap<PolicyRule, ShellPattern>();
const floating = new WeakMap<PolicyRule, Wildcard>();

export function shellPatternOf(rule: PolicyRule): ShellPattern {
  let pattern = patterns.get(rule);
  if (pattern === undefined) patterns.set(rule, (pattern = compileShellPattern(rule.content ?? '*', rule.literal)));
  return pattern;
}

/** What is judged of a line is the same for each rule: made once a line. */
interface LineForms {
  readonly whole: readonly string[];
  /** With single blanks, where that changes nothing. */
  readonly collapsed: readonly string[];
  readonly commands: readonly CommandForms[];
  readonly possible: readonly CommandForms[];
  /** All of the line, where it writes files and runs some: what it writes may be what is run. */
  readonly writtenCode?: string;
}

interface CommandForms {
  /** Of a command that runs code which stands in the line: all that it is given, in which that code may stand. */
  readonly code?: string;
  readonly spellings: readonly string[];
  /** Nobody can tell what it does, though its name is known: a shell that reads what to run. */
  readonly isUnclear: boolean;
  /** What is known in front of the first word that only running tells; undefined where all is known. */
  readonly knownHead?: string;
}

const forms = new WeakMap<ShellLine, LineForms>();

/**
 * Whether a rule that denies or asks is about the line: about one of its commands, at whatever depth and in whatever
 * spelling, about all of it, or about commands in it one after the other.
 */
export function touchesLine(rule: PolicyRule, line: ShellLine, folds: boolean): Touch {
  const foldCase = folds || line.isForeign === true;
  const pattern = shellPatternOf(rule);
  const { whole, commands, possible, writtenCode } = formsOf(line);
  const hits = ({ spellings }: CommandForms, by = pattern): boolean =>
    spellings.some((spelling) => by.matches(spelling, foldCase));
  if (whole.some((text) => pattern.matches(text, foldCase))) return 'yes';
  if (commands.some((command) => hits(command))) return 'yes';
  if (pattern.floats && whole.some((text) => floatingOf(rule).test(text))) return 'yes';
  if (pattern.parts.length > 0 && occurInOrder(pattern.parts, commands, hits)) return 'yes';
  const isPossible = ({ knownHead }: CommandForms): boolean =>
    knownHead !== undefined && (pattern.head.startsWith(knownHead) || knownHead.startsWith(pattern.head));
  if (possible.some((command) => command.isUnclear || hits(command))) return 'maybe';
  if (possible.some((command) => command.knownHead !== '' && isPossible(command))) return 'maybe';
  const name = programOf(pattern);
  if (name !== undefined && commands.some(({ code }) => code !== undefined && name.test(code))) return 'maybe';
  if (name !== undefined && writtenCode !== undefined && name.test(writtenCode)) return 'maybe';
  return commands.some(isPossible) ? 'maybe' : 'no';
}

/** Whether a rule that allows is about the command, as it is written or with its quoting undone. */
export function allowsCommand(rule: PolicyRule, command: ShellCommand): boolean {
  const pattern = shellPatternOf(rule);
  const { risky, assignments } = command;
  if (risky !== undefined && !assignments.every(({ name }) => (rule.content ?? '').includes(`${name}=`))) return false;
  if (rule.literal === true || compoundStart(rule)) return pattern.isExact && pattern.matchesCommand(command.text);
  return allowSpellings(command).some((spelling) => pattern.matchesCommand(spelling));
}

/** Whether a rule that allows spells the whole line, with all the commands in it. */
export function allowsLine(rule: PolicyRule, line: ShellLine): boolean {
  const pattern = shellPatternOf(rule);
  const text = line.text.replace(/^[ \t\n]+/, '');
  const bare = withoutTrailing(text, ' \t\n');
  // A blank behind a backslash is part of a word.
  return [bare.endsWith('\\') ? text : bare, ...formsOf(line).collapsed].some((each) => pattern.matchesLine(each));
}

/** The rule names the whole of the command, or the command is a wrapper that the rule is for: what it starts is granted with it. */
export function grantsWhatItRuns(rule: PolicyRule, { words }: ShellCommand): boolean {
  return shellPatternOf(rule).isExact || isWrapper(words[0] ?? '');
}

/** Every command of the line, at any depth: those that it starts behind it. */
export function allCommands(line: Pick<ShellLine, 'commands'>): ShellCommand[] {
  return line.commands.flatMap(withThoseItRuns);
}

function withThoseItRuns(command: ShellCommand): ShellCommand[] {
  return [command, ...command.runs.flatMap(withThoseItRuns)];
}

function withThoseItMayRun(command: ShellCommand): ShellCommand[] {
  return [command, ...[...command.runs, ...(command.mayRun ?? [])].flatMap(withThoseItMayRun)];
}

function formsOf(line: ShellLine): LineForms {
  let made = forms.get(line);
  if (made === undefined) {
    const commands = allCommands(line);
    const possible = commands.flatMap(({ mayRun = [] }) => mayRun.flatMap(withThoseItMayRun));
    const text = line.text.trim();
    const collapsed = /["'\\#]|[^\x20-\x7e\t]/.test(text) ? [] : [text.replace(/[ \t]+/g, ' ')];
    made = {
      whole: [...new Set([text, ...collapsed])],
      collapsed,
      commands: commands.map(commandForms),
      possible: [...possible.map(commandForms), ...filesRead(commands).map(programForms)],
      ...(writesAndRuns(commands) ? { writtenCode: line.text } : {}),
    };
    forms.set(line, made);
  }
  return made;
}

function floatingOf(rule: PolicyRule): Wildcard {
  let pattern = floating.get(rule);
  if (pattern === undefined) floating.set(rule, (pattern = floatingPattern(rule.content ?? '')));
  return pattern;
}

function occurInOrder(
  parts: readonly ShellPattern[],
  commands: readonly CommandForms[],
  hits: (command: CommandForms, by: ShellPattern) => boolean,
): boolean {
  let found = 0;
  for (const command of commands) {
    const part = parts[found];
    if (part !== undefined && hits(command, part)) found += 1;
  }
  return found === parts.length;
}

function commandForms(command: ShellCommand): CommandForms {
  const { text, words, spelled, assignments } = command;
  const [name = '', ...rest] = spelled;
  const named = [...new Set([name, baseName(name), baseName(name).replace(/\.(?:exe|cmd|bat)$/i, '')])];
  const plain = named.flatMap((each) => withoutOptions([each, ...rest]).map((all) => all.join(' ')));
  const set = assignments.map((each) => `${each.name}=${each.value ?? ''}`).join(' ');
  const spellings = [text, ...plain, ...(set === '' ? [] : plain.slice(0, 1).map((each) => `${set} ${each}`))];
  const { opaque, fromFiles, riskyPlaces, risky, unclear } = command;
  const isUnseen =
    (opaque !== undefined && fromFiles !== true) ||
    (risky !== undefined && riskyPlaces !== true) ||
    unclear !== undefined;
  const code = isUnseen ? { code: `${text}\n${rest.join('\n')}` } : {};
  const unknown = words.indexOf(undefined);
  const isUnclear = unclear !== undefined && unknown !== 0;
  if (unknown < 0) return { spellings: [...new Set(spellings)], isUnclear, ...code };
  const known = words.slice(1, unknown).map((word) => ` ${word ?? ''}`);
  const head = unknown === 0 ? '' : `${baseName(words[0] ?? '')}${known.join('')} `;
  return { spellings: [...new Set(spellings)], isUnclear, knownHead: head, ...code };
}

/** A program by its name alone, whatever it is given. */
function programForms(name: string): CommandForms {
  return { spellings: [name], isUnclear: false, knownHead: `${name} ` };
}

const programs = new WeakMap<ShellPattern, RegExp | false>();

/** The program that a rule is about, as it may stand in code. */
function programOf(pattern: ShellPattern): RegExp | undefined {
  let found = programs.get(pattern);
  if (found === undefined) {
    const word = baseName(/^\S+/.exec(pattern.head)?.[0] ?? '');
    const isName = /^[\w.-]{2,}$/.test(word);
    found = isName && new RegExp(`(?<![\\w-])${word.replace(/[.]/g, '\\.')}(?![\\w-])`, 'i');
    programs.set(pattern, found);
  }
  return found === false ? undefined : found;
}

const mostOptions = 6;

/** `git push` for `git -C folder --no-pager push`, whatever of the options takes a value. */
function withoutOptions(words: readonly string[]): (readonly string[])[] {
  const [name = '', ...rest] = words;
  const found: (readonly string[])[] = [words];
  let starts = [0];
  for (let depth = 0; depth < mostOptions && starts.length > 0; depth += 1) {
    const next = new Set<number>();
    for (const start of starts) {
      if (!/^[-+]./.test(rest[start] ?? '')) continue;
      for (const after of [start + 1, start + 2]) if (after <= rest.length) next.add(after);
    }
    for (const start of next) found.push([name, ...rest.slice(start)]);
    starts = [...next];
  }
  return found;
}

const allowed = new WeakMap<ShellCommand, readonly string[]>();

function allowSpellings(command: ShellCommand): readonly string[] {
  let made = allowed.get(command);
  if (made === undefined) allowed.set(command, (made = spellingsToAllow(command)));
  return made;
}

function spellingsToAllow({ text, words, spelled, risky }: ShellCommand): readonly string[] {
  const spellings = [text];
  if (risky !== undefined) return spellings;
  const bare = text.replace(/^(?:[A-Za-z_]\w*\+?=(?:'[^']*'|"[^"$`\\]*"|[^\s'"$`;&|<>()\\])*\s+)+/, '');
  if (bare !== text) spellings.push(bare);
  // A word with a blank in it would read as two.
  const isPlain = words.every((word, index) => word !== undefined && word === spelled[index] && /^\S+$/.test(word));
  if (isPlain) spellings.push(spelled.join(' '));
  return spellings;
}

function compoundStart(rule: PolicyRule): boolean {
  return shellPatternOf(rule).floats && /^[a-z{}()!]/.test(rule.content ?? '') && !/[<>]/.test(rule.content ?? '');
}
