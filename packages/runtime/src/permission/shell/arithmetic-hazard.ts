import { forEachChild, type SyntaxNode } from 'unbash';
import type { LineFacts } from './line-scope.ts';
import { isRiskyVariable } from './risky-variables.ts';

const numeric = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/**
 * The shell evaluates variables in arithmetic as expressions, and the index of an array in such an expression runs its
 * substitutions: after `x='a[$(id)]'`, `$((x))` runs `id`. So arithmetic is clear as long as what it computes with is
 * numbers, or variables that the line does not give anything else.
 */
export function arithmeticHazard(nodes: Iterable<SyntaxNode>, facts: LineFacts): string | undefined {
  let hazard: string | undefined;
  const judge = (text: string, quoted = false): void => {
    hazard ??= expressionHazard(text, facts, quoted);
  };
  const judgeSet = (node: SyntaxNode): void => {
    if (node.type === 'ArithmeticWord' && isRiskyVariable(node.value)) hazard ??= `arithmetic sets ${node.value}`;
  };
  const visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case 'ArithmeticWord':
        judge(node.value);
        break;
      case 'ArithmeticBinary':
        if (/^[^=<>!]*=$|^<<=$|^>>=$/.test(node.operator)) judgeSet(node.left);
        break;
      case 'ArithmeticUnary':
        if (/^(?:\+\+|--)$/.test(node.operator)) judgeSet(node.operand);
        break;
      case 'TestBinary':
        if (numeric.has(node.operator)) for (const word of [node.left, node.right]) judge(word.value, true);
        break;
      case 'TestUnary':
        if (node.operator === '-v' || node.operator === '-R') judge(node.operand.value, true);
        break;
      case 'ParameterExpansion':
        if (node.index !== undefined && !/^[@*]$/.test(node.index.value)) judge(node.index.value);
        break;
      case 'Slice':
        judge(node.offset.value);
        if (node.length !== undefined) judge(node.length.value);
        break;
      case 'Assignment':
        if (node.index !== undefined) judge(node.index.value);
        break;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        return;
      default:
    }
    forEachChild(node, visit);
  };
  for (const node of nodes) visit(node);
  return hazard;
}

/** @param quoted quotes were taken away, so that what looks like an expansion may be text which arithmetic expands */
export function expressionHazard(text: string, { values }: LineFacts, quoted = false): string | undefined {
  if (quoted && text.includes('[')) return `the number ${text} may hold an index that runs code`;
  const parameter = /\$(?:\{?[\d@*_](?!\w)|\{[!@])/.exec(text);
  if (parameter !== null) return `${parameter[0]} may hold an expression that runs code`;
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    if (
      values.get(name)?.some((value) => value === undefined || !/^[-+]?\w*$/.test(value) || values.has(value)) === true
    ) {
      return `${name} may hold an expression that runs code`;
    }
  }
  return undefined;
}
