import { forEachChild, type ParsedScript, type SyntaxNode, type Word } from 'unbash';
import type { LineFacts } from './line-scope.ts';
import { readWord } from './shell-word.ts';

/** Builtins behind which a name may mean something else than a definition of the line said. */
const unsettling = new Set(['unset', 'unalias', 'alias', 'eval', 'source', '.', 'enable', 'hash']);
const moving = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.']);

/** What the line says of functions, variables and folders, wherever in it that stands. */
export function lineFacts(script: ParsedScript): LineFacts {
  const functions = new Set<string>();
  const values = new Map<string, (string | undefined)[]>();
  const found = { unsettled: false, moves: false };
  const give = (name: string, word: Word | undefined): void => {
    const known = values.get(name);
    const value = word === undefined ? undefined : readWord(word).value;
    if (known === undefined) values.set(name, [value]);
    else if (known.length < 16) known.push(value);
  };
  const visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case 'Function':
        if (functions.has(node.name.value)) found.unsettled = true;
        functions.add(node.name.value);
        break;
      case 'Assignment':
        if (node.value.type === 'Word') give(node.name, node.value);
        else for (const element of node.value.elements) give(node.name, element);
        break;
      case 'For':
      case 'Select':
        for (const word of node.wordlist ?? []) give(node.name.value, word);
        break;
      case 'Command': {
        const name = node.name?.value ?? '';
        if (unsettling.has(name)) found.unsettled = true;
        if (moving.has(name) || (node.name !== undefined && readWord(node.name).value === undefined))
          found.moves = true;
        break;
      }
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script !== undefined) visit(node.script);
        return;
      default:
    }
    forEachChild(node, visit);
  };
  visit(script);
  return { functions, values, defined: new Map(), ...found };
}
