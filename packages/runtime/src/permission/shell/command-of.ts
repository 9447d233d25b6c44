import { expressionHazard } from './arithmetic-hazard.ts';
import type { Call, Effect } from './command-effect.ts';
import type { LineFacts, Scope } from './line-scope.ts';
import { mostDepth, spend } from './line-scope.ts';
import { foldersBehind, openPaths } from './open-paths.ts';
import { programNamed } from './program-named.ts';
import { printedText } from './printed-text.ts';
import { isCodePlace, isRiskySetting } from './risky-variables.ts';
import type { ShellAssignment, ShellCommand, ShellPath } from './shell-line.ts';
import { plainWord, type ShellWord } from './shell-word.ts';

/** A simple command before it is known what it does. */
export interface DraftCommand {
  readonly words: readonly ShellWord[];
  readonly assignments?: readonly ShellAssignment[];
  /** As spelled, where not the words alone. */
  readonly text?: string;
  /** What its redirects open. */
  readonly paths?: readonly ShellPath[];
  readonly input?: ShellWord | undefined;
  /** Why it cannot be told what it does, whatever its program is. */
  readonly unclear?: string | undefined;
  /** Something that it evaluates is not known to change nothing. */
  readonly changes?: boolean;
}

const noCommands: readonly ShellCommand[] = [];
const noAssignments: readonly ShellAssignment[] = [];
const mostGuesses = 8;
/** Guesses of guesses may double at every level. */
const mostListed = 64;

/** What one simple command does: its program's row or unwrapping, and what holds of every program. */
export function commandOf(draft: DraftCommand, scope: Scope): ShellCommand {
  const { words, assignments = noAssignments } = draft;
  if (!spend(scope.budget)) return finished(draft, { unclear: 'the line is too long to be read' }, false);
  if (scope.depth > mostDepth) {
    scope.budget.spent ??= `commands start others more than ${mostDepth} deep`;
    return finished(draft, { unclear: `it stands more than ${mostDepth} wrappers deep` }, false);
  }
  const [name] = words;
  if (name === undefined) return finished(draft, { readsOnly: true, passesThrough: true }, true);
  const spelling = spellingProblem(name);
  if (spelling !== undefined) return finished(draft, unclearName(name, words, scope, spelling), false);
  const program = name.value ?? name.spelled;
  if (scope.direct && scope.facts.functions.has(program)) {
    return finished(draft, functionCall(program, words, scope), true);
  }
  const effect = programEffect(program, draft, scope);
  const plain = assignments.every((assignment) => !isRiskySetting(assignment.name, assignment.value));
  return finished(draft, effect, plain && isUsualPlace(program));
}

/** A program of that name from a folder of the project is another one. */
function isUsualPlace(name: string): boolean {
  return !name.includes('/') || /^(?:\/usr)?\/s?bin\/[^/]+$/.test(name);
}

function programEffect(name: string, draft: DraftCommand, scope: Scope): Effect {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const args = draft.words.slice(1);
  const inner: Scope = { ...scope, depth: scope.depth + 1, direct: false };
  const call: Call = {
    name: base,
    args,
    input: draft.input,
    piped: draft.input === undefined ? scope.piped : undefined,
    run: (words, folder, assignments = noAssignments) => {
      const at = folder === undefined ? inner : { ...inner, folders: foldersBehind(inner.folders, folder) };
      return commandOf({ words, assignments }, at);
    },
    code: (text) => scope.code(text, inner),
    expression: (text) => expressionHazard(text, scope.facts),
    open: (access, word, tree = false) => openPaths(scope.folders, { access, tree }, word),
    guess: (words) => guesses(words, scope),
  };
  // Where upper and lower case are one, `SUDO` is `sudo`.
  const program = programNamed(base) ?? programNamed(base.toLowerCase());
  if (program === undefined) return { mayRun: call.guess(args) };
  const effect = program(call);
  return programNamed(base) === undefined ? { ...effect, readsOnly: false, passesThrough: false } : effect;
}

/**
 * An unknown program may be a wrapper that no table lists. Its own name is what rules are about; but read as a command,
 * its arguments may be one that a rule denies. So each argument that can be a name begins a guess, and an argument of
 * several words is one. Programs of the tables are known not to do so.
 */
function guesses(words: readonly ShellWord[], scope: Scope): readonly ShellCommand[] {
  if (scope.guess) return noCommands;
  const at: Scope = { ...scope, depth: scope.depth + 1, direct: false, guess: true };
  const commands: ShellCommand[] = [];
  for (const [index, word] of words.entries()) {
    if (commands.length >= mostGuesses) break;
    const { value, spelled } = word;
    const setting = /^-{0,2}[A-Za-z][\w.:-]*=!?/.exec(value ?? '')?.[0];
    if (value !== undefined && setting !== undefined && setting.length < value.length)
      commands.push(...scope.code(value.slice(setting.length), { ...at, guess: false }).commands.slice(0, mostGuesses));
    // A text with quotes or blanks in it may be code, whatever it begins with.
    if (value !== undefined && /[^\w./:=@%+,~-]/.test(value)) {
      if (!value.startsWith('-')) commands.push(...guessedCode(value, at));
      continue;
    }
    // Of a path that begins with a variable or a tilde the program's name is known all the same.
    const isName = value === undefined ? /^[~$"].*\/[\w.-]+$/.test(spelled) : /^[\w./]/.test(value);
    if (isName) commands.push(commandOf({ words: words.slice(index) }, at));
  }
  return commands;
}

/** Text that is no code is seldom understood, and is left alone as long as it holds nothing that parts commands. */
function guessedCode(text: string, scope: Scope): readonly ShellCommand[] {
  const { commands, unclear } = scope.code(text, { ...scope, guess: false });
  const found = commands.slice(0, mostGuesses);
  if (unclear === undefined || !/[;|&\n`]|\$[('{]/.test(text)) return found;
  return [...found, commandOf({ words: [], text, unclear }, scope)];
}

function spellingProblem({ value, spelled, text, fromHome }: ShellWord): string | undefined {
  if (value === undefined && fromHome === undefined)
    return `the program's name, ${spelled}, is known only when it runs`;
  if (spelled === '') return 'the program has an empty name';
  if (value !== undefined && value.startsWith('~'))
    return `the name ${text} looks like one in the home directory, and is not`;
  if (/[\u0000-\u0020\u007f]/.test(spelled))
    return `the program's name, ${JSON.stringify(spelled)}, has a blank or a control character in it`;
  if (/^[\u0000-\u007f]*$/.test(spelled)) return undefined;
  const folded = spelled
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}\p{Mn}\p{Z}\p{Cc}]/gu, '');
  const looksAscii = /^[\u0000-\u007f]*$/.test(folded) || /[\p{Cf}\p{Z}\p{Cc}]/u.test(spelled);
  return looksAscii
    ? `the program's name, ${JSON.stringify(spelled)}, has characters that look like others`
    : undefined;
}

/** What a variable of the line may hold, and what is left where it holds nothing, may be what runs. */
function unclearName(name: ShellWord, words: readonly ShellWord[], scope: Scope, unclear: string): Effect {
  if (scope.guess) return { unclear };
  const at: Scope = { ...scope, depth: scope.depth + 1, guess: true };
  const rest = words.slice(1);
  const names = valuesOf(name, scope.facts).map((value) => value.split(/\s+/).filter(Boolean).map(plainWord));
  // `$SHELL -c code`.
  if (rest.some(({ prefix }) => /^-[a-z]*c$/.test(prefix))) names.push([plainWord('sh')]);
  if (name.splits) names.push([]);
  const mayRun = names
    .slice(0, mostGuesses)
    .map((values) => [...values, ...rest])
    .filter((guess) => guess.length > 0)
    .map((guess) => commandOf({ words: guess }, at));
  return { unclear, mayRun };
}

/** What the name may come to: the values that the line gives, what a substitution plainly prints, nothing. */
function valuesOf({ spelled, scripts }: ShellWord, { values }: LineFacts): readonly string[] {
  if (/^\{[^{}]*\}$/.test(spelled)) return [spelled.slice(1, -1).replaceAll(',', ' ')];
  const printed = scripts.flatMap(({ commands: [first] }) => {
    const text = first?.command.type === 'Command' ? printedText(first.command) : undefined;
    return text === undefined ? [] : [text];
  });
  let spellings = [''];
  for (const [, braced, fallback, plain, literal] of spelled.matchAll(expansion)) {
    const known = values.get(braced ?? plain ?? '') ?? [];
    const parts = fallback === undefined ? known : [...known, fallback];
    const options = literal === undefined ? [...parts.filter((part) => part !== undefined), ''] : [literal];
    spellings = spellings.flatMap((before) => options.map((part) => before + part)).slice(0, 16);
  }
  return [...printed, ...spellings].filter((spelling) => spelling.trim() !== '' && !/[$`(){}*?]/.test(spelling));
}

/** A variable with what stands in for it, another expansion, or letters. */
const expansion = /\$\{(\w+)(?::?[-=+]([\w./-]+))?[^{}]*\}|\$(?:(\w+)|[@*#?$!-]|\([^()]*\))|([^$]+)/g;

/** What a function of the line runs stands in the line itself and is judged there, once and not at every call. */
function functionCall(name: string, words: readonly ShellWord[], scope: Scope): Effect {
  const mayRun = guesses(words.slice(1), scope);
  if (scope.facts.defined.has(name) && !scope.facts.unsettled) return { passesThrough: true, readsOnly: true, mayRun };
  return { unclear: `${name} may be the function that the line defines or something else`, mayRun };
}

function finished(draft: DraftCommand, effect: Effect, usual: boolean): ShellCommand {
  const { words, assignments = noAssignments, paths = [] } = draft;
  const { runs = noCommands, mayRun = noCommands, opaque, fromFiles } = effect;
  const unclear = draft.unclear ?? effect.unclear;
  const given = effect.assignments === undefined ? assignments : [...assignments, ...effect.assignments];
  const risky = riskOf(given) ?? effect.risky;
  const opened = effect.paths === undefined ? paths : [...paths, ...effect.paths.map(asArgument)];
  const isCertain = usual && unclear === undefined && opaque === undefined && risky === undefined;
  const reads =
    isCertain &&
    effect.readsOnly === true &&
    draft.changes !== true &&
    runs.every((command) => command.readsOnly) &&
    (effect.paths ?? []).every((path) => path.access === 'read');
  return {
    text: draft.text ?? words.map((word) => word.text).join(' '),
    words: words.map(
      (word) => word.value ?? (word === words[0] && word.fromHome !== undefined ? word.spelled : undefined),
    ),
    spelled: words.map((word) => word.spelled),
    assignments: given,
    runs,
    passesThrough: isCertain && effect.passesThrough === true,
    readsOnly: reads && paths.every((path) => path.access === 'read'),
    ...(reads && paths.some((path) => path.access === 'write') && { onlyRedirects: true }),
    paths: opened,
    ...(mayRun.length === 0
      ? {}
      : {
          mayRun: [
            ...new Set(mayRun.slice(0, mostListed).flatMap((guess) => [alone(guess), ...guessesBehind(guess)])),
          ].slice(0, mostListed),
        }),
    ...(risky === undefined
      ? {}
      : { risky, ...(risky.split(', ').every(isCodePlace) && { riskyPlaces: true as const }) }),
    ...(opaque === undefined ? {} : { opaque, ...(fromFiles === true && { fromFiles }) }),
    ...(unclear === undefined ? {} : { unclear }),
  };
}

/** A rule for the command sees what its arguments name; what is redirected is judged by itself. */
function asArgument(path: ShellPath): ShellPath {
  return { ...path, argument: true };
}

function alone(guess: ShellCommand): ShellCommand {
  if (guess.mayRun === undefined) return guess;
  const { mayRun, ...rest } = guess;
  return mayRun.length === 0 ? guess : rest;
}

/** What a guess may run in its turn is a guess as well: all of them stand in one list. */
function guessesBehind({ mayRun = noCommands, runs }: ShellCommand): readonly ShellCommand[] {
  return [...mayRun, ...runs.flatMap(guessesBehind)];
}

/** Their names, since a rule that sets them itself may cover them. */
function riskOf(assignments: readonly ShellAssignment[]): string | undefined {
  if (assignments.length === 0) return undefined;
  const names = assignments.filter(({ name, value }) => isRiskySetting(name, value)).map(({ name }) => name);
  return names.length === 0 ? undefined : [...new Set(names)].join(', ');
}
