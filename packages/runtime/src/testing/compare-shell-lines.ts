import { seededChoices } from './choices.ts';
import { missedCommands, type SecondParser } from './second-parser.ts';
import { grammarLine, spoiltLine } from './shell-grammar.ts';

export interface ComparedLines {
  /** So many lines both understood. */
  readonly compared: number;
  /** Lines with a command that mvdan-sh finds and the engine does not. */
  readonly missed: readonly { readonly line: string; readonly missing: readonly string[] }[];
}

/** mvdan-sh takes seconds for some lines of thousands of characters. */
const longest = 500;

/** Behind the end of a quote, mvdan-sh reads a comment where bash reads on in the word. */
const oddComment = /[^\s\w]#/;

/** Makes lines of every construct of the shell and compares what the engine and mvdan-sh find in them. The same for the same seed. */
export function compareShellLines(
  syntax: SecondParser,
  { seed, lines, spoilt = false }: { readonly seed: number; readonly lines: number; readonly spoilt?: boolean },
): ComparedLines {
  const choices = seededChoices(seed);
  const missed: { line: string; missing: readonly string[] }[] = [];
  let compared = 0;
  for (let made = 0; made < lines; ) {
    const line = spoilt ? spoiltLine(choices) : grammarLine(choices);
    if (line.length >= longest || oddComment.test(line)) continue;
    made += 1;
    const { missing, wasCompared } = missedCommands(syntax, line);
    if (wasCompared) compared += 1;
    if (missing.length > 0) missed.push({ line, missing });
  }
  return { compared, missed };
}
