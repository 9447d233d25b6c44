import { forEachChild, type ParsedScript, type SyntaxNode, type Word } from 'unbash';
import type { LineFacts } from './line-scope.ts';
import { readWord } from './shell-word.ts';

/** Builtins behind which a name may mean something else than a definition of the line said. */
const unsettling = new Set(['unset', 'unalias', 'alias', 'eval', 'source', '.', 'enable', 'hash']);
/** Builtins that give variables what they read. */
const reading = new Set(['read', 'mapfile', 'readarray', 'getopts', 'printf']);
const moving = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.']);

/** What the line says of functions, variables and folders, wherever in it that stands. */
export function lineFacts(script: ParsedScript): LineFacts {
  const functions = new Set<string>();
  const values = new Map<string, (string | undefined)[]>();
  const found = { unsettled: false, moves: false };
  const give = (name: string, word: Word | undefined): void => {
    const known = values.get(name);
    const value = word === undefined ? undefined : isNumber(word) ? '0' : readWord(word).value;
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
      case 'ParameterExpansion':
        if (node.operation?.type === 'Default' && node.operation.operator.includes('='))
          give(node.parameter, node.operation.operand);
        break;
      case 'For':
      case 'Select':
        for (const word of node.wordlist ?? []) give(node.name.value, word);
        break;
      case 'Command': {
        const name = node.name?.value ?? '';
        if (unsettling.has(name)) found.unsettled = true;
        if (reading.has(name)) for (const word of node.args) if (word.type === 'Word') give(word.value, undefined);
        const isMoving =
          moving.has(name) ||
          ((name === 'builtin' || name === 'command') &&
            node.args.some((word) => word.type === 'Word' && moving.has(word.value)));
        if (isMoving || (node.name !== undefined && readWord(node.name).value === undefined)) found.moves = true;
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
  return { functions, values, defined: new Set(), ...found };
}

/** What comes of it is a number, whatever it is: arithmetic, or a program that counts. */
function isNumber(word: Word): boolean {
  const [part, ...rest] = word.parts ?? [];
  if (part === undefined || rest.length > 0) return false;
  if (part.type === 'ArithmeticExpansion') return true;
  if (part.type === 'DoubleQuoted') return part.parts.length === 1 && part.parts[0]?.type === 'ArithmeticExpansion';
  if (part.type !== 'CommandExpansion' || part.script?.commands.length !== 1) return false;
  const node = part.script.commands[0]?.command;
  const last = node?.type === 'Pipeline' ? node.commands.at(-1) : node;
  if (last?.type !== 'Command') return false;
  const args = last.args.map((arg) => (arg.type === 'Word' ? readWord(arg).value : undefined));
  switch (last.name?.value) {
    case 'wc':
      return args.length === 1 && /^-[lwcm]$/.test(args[0] ?? '');
    case 'nproc':
      return args.length === 0;
    case 'date':
      return args.length === 1 && /^\+(?:%[sYmdHMSj])+$/.test(args[0] ?? '');
    default:
      return false;
  }
}
