import type { Budget } from './line-scope.ts';
import { mostCommands } from './line-scope.ts';
import { startFolder } from './open-paths.ts';
import { codeEffect } from './shell-code.ts';
import type { ShellLine } from './shell-line.ts';

/** Nobody reads a longer line before allowing it. */
const mostCharacters = 65_536;
/** The parser takes the longer for each level the more levels there are. */
const mostOpen = 256;

const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/;

/**
 * Takes a shell line apart into everything that it would run. Never throws, and ends for any text; what it does not
 * understand it says to be unclear.
 */
export function analyzeShellLine(text: string): ShellLine {
  if (text.length > mostCharacters) {
    return { text, commands: [], unclear: `the line is longer than ${mostCharacters} characters` };
  }
  if (openAtOnce(text) > mostOpen) {
    return { text, commands: [], unclear: `more than ${mostOpen} parentheses in it are open at once` };
  }
  try {
    return analyzed(text);
  } catch (error) {
    // The parser and the walk have no such path that is known; a line is no reason to end a turn.
    const reason = error instanceof Error ? error.message : String(error);
    return { text, commands: [], unclear: `the line cannot be read (${reason})` };
  }
}

/** Quotes are not looked at: nobody writes so many into a text either. */
function openAtOnce(text: string): number {
  let [open, most] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === 40) most = Math.max(most, (open += 1));
    else if (character === 41) open -= 1;
  }
  return most;
}

function analyzed(text: string): ShellLine {
  const budget: Budget = { commands: mostCommands };
  const facts = {
    functions: new Set<string>(),
    defined: new Set<string>(),
    values: new Map(),
    unsettled: false,
    moves: false,
  };
  const { commands, unclear = budget.spent } = codeEffect(text, {
    facts,
    budget,
    folders: startFolder,
    depth: 0,
    direct: true,
    guess: false,
    code: codeEffect,
  });
  const problem = unclear ?? (hidden.test(text) ? 'the line holds characters that a screen does not show' : undefined);
  return problem === undefined ? { text, commands } : { text, commands, unclear: problem };
}
