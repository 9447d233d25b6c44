import type {
  AndOr,
  CommandNode,
  CompoundCommand,
  CompoundList,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirected,
  Statement,
  SyntaxNode,
} from 'unbash';
import { forEachChild } from 'unbash';
import { expansionHazard } from './expansion-hazard.ts';
import { commandOf } from './command-of.ts';
import type { Scope } from './line-scope.ts';
import { allOf, anyFolder, type Folders } from './open-paths.ts';
import type { ShellCommand } from './shell-line.ts';
import { printedText } from './printed-text.ts';
import { isRiskyVariable } from './risky-variables.ts';
import { redirectEffect } from './shell-redirects.ts';
import { substitutionsOf } from './shell-word.ts';
import { type Ends, endingAt, type Walk } from './shell-walk.ts';
import { walkCommand } from './walk-command.ts';

/** Walks a script in its order and puts every command into `commands`. Returns why it is not understood as a whole. */
export function walkScript(script: ParsedScript, scope: Scope, commands: ShellCommand[]): string | undefined {
  const walk: Walk = { commands };
  walkStatements(script.commands, scope, walk, true);
  const error = script.errors?.[0];
  return error === undefined ? walk.unclear : `the shell's grammar: ${error.message}`;
}

function either({ done, failed }: Ends): Folders {
  return done === failed ? done : allOf([...done, ...failed]);
}

function walkStatements(statements: readonly Statement[], scope: Scope, walk: Walk, top = false): Ends {
  let ends = endingAt(scope.folders);
  for (const { command, background } of statements) {
    if (scope.budget.spent !== undefined) break;
    const at = scopeAt(scope, either(ends));
    const behind = walkNode(command, at, walk);
    if (top && background !== true && command.type === 'Function') scope.facts.defined.add(command.name.value);
    ends = background === true ? endingAt(at.folders) : behind;
  }
  return ends;
}

function scopeAt(scope: Scope, folders: Folders): Scope {
  return folders === scope.folders ? scope : { ...scope, folders };
}

function walkNode(node: PipelineNode | AndOr | CompoundList, scope: Scope, walk: Walk): Ends {
  switch (node.type) {
    case 'AndOr':
      return walkAndOr(node, scope, walk);
    case 'Pipeline':
      return walkPipeline(node, scope, walk);
    case 'CompoundList':
      return walkStatements(node.commands, scope, walk);
    default:
      return walkCommandNode(node, scope, walk);
  }
}

function walkAndOr({ commands, operators }: AndOr, scope: Scope, walk: Walk): Ends {
  let ends = endingAt(scope.folders);
  for (const [index, command] of commands.entries()) {
    const operator = operators[index - 1];
    const from = operator === undefined ? scope.folders : operator === '&&' ? ends.done : ends.failed;
    const behind = walkNode(command, scopeAt(scope, from), walk);
    if (operator === undefined) ends = behind;
    else if (operator === '&&') ends = { done: behind.done, failed: allOf([...ends.failed, ...behind.failed]) };
    else ends = { done: allOf([...ends.done, ...behind.done]), failed: behind.failed };
  }
  return ends;
}

/** The parts of a pipe are shells of their own: where they go to ends with them. */
function walkPipeline({ commands, prefixes }: Pipeline, scope: Scope, walk: Walk): Ends {
  let ends = endingAt(scope.folders);
  for (const [index, command] of commands.entries()) {
    const before = commands[index - 1];
    const piped = before?.type === 'Command' ? printedText(before) : undefined;
    ends = walkNode(command, piped === undefined ? scope : { ...scope, piped }, walk);
  }
  if (commands.length > 1) return endingAt(scope.folders);
  const negations = prefixes.filter(({ type }) => type === 'Negation').length;
  return negations % 2 === 1 ? { done: ends.failed, failed: ends.done } : ends;
}

function walkCommandNode(node: CommandNode, scope: Scope, walk: Walk): Ends {
  switch (node.type) {
    case 'Command':
      return walkCommand(node, scope, walk.commands, (nodes) => walkSubstitutions(nodes, scope, walk));
    case 'Redirected':
      return walkRedirected(node, scope, walk);
    case 'Function':
      walkNode(node.body, scope.facts.moves ? scopeAt(scope, anyFolder) : scope, walk);
      return endingAt(scope.folders);
    case 'Coproc':
      if (node.name !== undefined && isRiskyVariable(node.name.value))
        walk.unclear ??= `a coprocess sets ${node.name.value}`;
      walkNode(node.body, scope, walk);
      return endingAt(scope.folders);
    default:
      return walkCompound(node, scope, walk);
  }
}

/** A loop's or a group's redirects belong to no simple command: they stand as one without words. */
function walkRedirected({ command, redirects }: Redirected, scope: Scope, walk: Walk): Ends {
  const { paths, unclear = expansionHazard(redirects, scope.facts) } = redirectEffect(redirects, scope.folders);
  const changes = walkSubstitutions(redirects, scope, walk);
  if (paths.length > 0 || unclear !== undefined) {
    walk.commands.push(commandOf({ words: [], paths, unclear, changes }, scope));
  }
  return walkCompound(command, scope, walk);
}

function walkCompound(node: CompoundCommand, scope: Scope, walk: Walk): Ends {
  const here = endingAt(scope.folders);
  switch (node.type) {
    case 'Subshell':
      walkNode(node.body, scope, walk);
      return here;
    case 'BraceGroup':
      return walkNode(node.body, scope, walk);
    case 'If':
      return walkBranches(
        [{ clause: node.clause, body: node.then }, ...node.elif.map(({ clause, then }) => ({ clause, body: then }))],
        node.else,
        { scope, walk },
      );
    case 'Case': {
      walkWords([node.word, ...node.items.flatMap(({ pattern }) => pattern)], scope, walk);
      const ends = node.items.map(({ body }) => either(walkNode(body, loopScope(node, scope), walk)));
      return endingAt(allOf([...scope.folders, ...ends.flat()]));
    }
    case 'For':
    case 'Select':
      if (isRiskyVariable(node.name.value)) {
        const assignments = [{ name: node.name.value, value: undefined }];
        walk.commands.push(commandOf({ words: [], text: `${node.name.value}=…`, assignments }, scope));
      }
      walkWords(node.wordlist ?? [], scope, walk);
      return walkLoop(node, [node.body], { scope, walk });
    case 'ArithmeticFor': {
      const parts = [node.initialize, node.test, node.update].filter((part) => part !== undefined);
      walkWords(parts, scope, walk);
      return walkLoop(node, [node.body], { scope, walk });
    }
    case 'While':
      return walkLoop(node, [node.clause, node.body], { scope, walk });
    case 'TestCommand':
    case 'ArithmeticCommand':
      walkExpression(node, scope, walk);
      return here;
  }
}

interface At {
  readonly scope: Scope;
  readonly walk: Walk;
}

function walkBranches(
  branches: readonly { readonly clause: CompoundList; readonly body: CompoundList }[],
  otherwise: CompoundList | undefined,
  { scope, walk }: At,
): Ends {
  let from = scope.folders;
  const ends: Folders[] = [];
  for (const { clause, body } of branches) {
    const tested = walkNode(clause, scopeAt(scope, from), walk);
    ends.push(either(walkNode(body, scopeAt(scope, tested.done), walk)));
    from = tested.failed;
  }
  ends.push(otherwise === undefined ? from : either(walkNode(otherwise, scopeAt(scope, from), walk)));
  return endingAt(allOf(ends.flat()));
}

/** A round of a loop begins where the last one ended. */
function walkLoop(node: SyntaxNode, bodies: readonly CompoundList[], { scope, walk }: At): Ends {
  const at = loopScope(node, scope);
  for (const body of bodies) walkNode(body, at, walk);
  return endingAt(at.folders);
}

function loopScope(node: SyntaxNode, scope: Scope): Scope {
  return scope.facts.moves && mayMove(node, scope) ? scopeAt(scope, anyFolder) : scope;
}

function mayMove(node: SyntaxNode, scope: Scope): boolean {
  if (node.type === 'Command') {
    const name = node.name?.value ?? '';
    if (/^(?:cd|pushd|popd|eval|source|\.|builtin|command)$|[$`*?{[]/.test(name) || scope.facts.functions.has(name))
      return true;
  }
  let moves = false;
  forEachChild(node, (child) => {
    moves ||= mayMove(child, scope);
  });
  return moves;
}

/** `[[ ]]` and `(( ))` run nothing but their substitutions. They are listed, so that no line of commands is empty. */
function walkExpression(node: SyntaxNode, scope: Scope, walk: Walk): void {
  const unclear = expansionHazard([node], scope.facts);
  const place = walk.commands.length;
  const changes = walkSubstitutions([node], scope, walk);
  const text = node.type === 'TestCommand' ? '[[ ]]' : '(( ))';
  walk.commands.splice(place, 0, commandOf({ words: [], text, unclear, changes }, scope));
}

function walkWords(nodes: readonly SyntaxNode[], scope: Scope, walk: Walk): void {
  const unclear = expansionHazard(nodes, scope.facts);
  const changes = walkSubstitutions(nodes, scope, walk);
  if (unclear !== undefined) walk.commands.push(commandOf({ words: [], unclear, changes }, scope));
}

/** Walks what these nodes run by substitution. True: not all of it only reads. */
function walkSubstitutions(nodes: Iterable<SyntaxNode>, scope: Scope, walk: Walk): boolean {
  const { scripts } = substitutionsOf(nodes);
  const first = walk.commands.length;
  for (const script of scripts) {
    const unclear = walkScript(script, scope, walk.commands);
    if (unclear !== undefined) walk.unclear ??= unclear;
  }
  return walk.commands.slice(first).some((command) => !command.readsOnly);
}
