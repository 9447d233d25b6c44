import { analyzeShellLine } from '../permission/shell/analyze-shell-line.ts';
import type { ShellCommand } from '../permission/shell/shell-line.ts';

/** The parts of mvdan-sh that are used here; it brings no types. */
interface Part {
  readonly Value?: string;
  readonly Dollar?: boolean;
  readonly Parts?: readonly Part[];
}
interface Word {
  readonly Parts: readonly Part[];
}
export interface SecondParser {
  NewParser(): { Parse(text: string, name: string): unknown };
  Walk(node: unknown, visit: (node: { readonly Args?: readonly Word[] } | null) => boolean): void;
  NodeType(node: unknown): string;
}

/**
 * What mvdan-sh finds in a line, and the engine does not: no command should be.
 *
 * @param syntax the `syntax` of the module, which whoever asks brings along.
 */
export function missedCommands(syntax: SecondParser, text: string): MissedCommands {
  const theirs = namesByParser(syntax, text);
  const ours = namesByEngine(text);
  if (theirs === undefined || ours === undefined) return { missing: [], wasCompared: false };
  const left = [...ours];
  const missing: string[] = [];
  for (const name of theirs) {
    const exact = left.indexOf(name);
    const index = exact >= 0 ? exact : left.indexOf(undefined);
    // A name that we know and they do not, as of braces and stars, is checked by the next one that is missed.
    if (index >= 0) left.splice(index, 1);
    else if (name !== undefined) missing.push(name);
  }
  return { missing, wasCompared: true };
}

export interface MissedCommands {
  /** Their names, quoting undone. */
  readonly missing: readonly string[];
  /** False where either of both does not understand the line. */
  readonly wasCompared: boolean;
}

/** The name of each command that mvdan-sh finds, quoting undone; undefined where only running the line tells. */
export function namesByParser(syntax: SecondParser, text: string): (string | undefined)[] | undefined {
  let file: unknown;
  try {
    file = parserOf(syntax).Parse(text, 'line');
  } catch {
    return undefined;
  }
  const names: (string | undefined)[] = [];
  syntax.Walk(file, (node) => {
    if (node !== null && syntax.NodeType(node) === 'CallExpr' && node.Args?.[0] !== undefined) {
      names.push(staticText(syntax, node.Args[0].Parts, false));
    }
    return true;
  });
  return names;
}

const parsers = new WeakMap<SecondParser, ReturnType<SecondParser['NewParser']>>();

function parserOf(syntax: SecondParser): ReturnType<SecondParser['NewParser']> {
  const parser = parsers.get(syntax) ?? syntax.NewParser();
  parsers.set(syntax, parser);
  return parser;
}

function staticText(syntax: SecondParser, parts: readonly Part[], isQuoted: boolean): string | undefined {
  let text = '';
  for (const part of parts) {
    const kind = syntax.NodeType(part);
    const value = part.Value ?? '';
    let piece: string | undefined;
    if (kind === 'SglQuoted') piece = part.Dollar === true && value.includes('\\') ? undefined : value;
    else if (kind === 'DblQuoted')
      piece = part.Dollar === true ? undefined : staticText(syntax, part.Parts ?? [], true);
    else if (kind === 'Lit' && isQuoted) piece = value.replace(/\\\n/g, '').replace(/\\([$`"\\])/g, '$1');
    else if (kind === 'Lit' && !/[*?[{~]/.test(value)) piece = value.replace(/\\\n/g, '').replace(/\\([^])/g, '$1');
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

/** Undefined where the engine says that it does not understand the line. */
function namesByEngine(text: string): (string | undefined)[] | undefined {
  const line = analyzeShellLine(text);
  const all: ShellCommand[] = [];
  const collect = (command: ShellCommand): void => {
    all.push(command);
    command.runs.forEach(collect);
    // What may be run is asked about, which is agreement.
    command.mayRun?.forEach(collect);
  };
  line.commands.forEach(collect);
  const isUnclear = line.unclear !== undefined || all.some(({ unclear }) => unclear !== undefined);
  return isUnclear ? undefined : all.filter(({ words }) => words.length > 0).map(({ words }) => words[0]);
}
