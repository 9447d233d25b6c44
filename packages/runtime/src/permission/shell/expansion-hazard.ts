import type { SyntaxNode } from 'unbash';
import { arithmeticHazard } from './arithmetic-hazard.ts';
import type { LineFacts } from './line-scope.ts';
import { substitutionsOf } from './shell-word.ts';

/**
 * Why nobody can tell what the expansions in these nodes run: in words, in assignments, in redirects, and in
 * here-documents, which expand what an argument would.
 */
export function expansionHazard(nodes: readonly SyntaxNode[], facts: LineFacts): string | undefined {
  return substitutionsOf(nodes).hazard ?? arithmeticHazard(nodes, facts);
}
