import { parseSync, Visitor } from 'oxc-parser';

export interface Import {
  specifier: string;
  line: number;
}

/** Every module that a file names: static, dynamic, re-exported, required, or in a type. Type imports count. */
export function readImports(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text);
  const first = errors[0];
  if (first) throw new Error(`${path}: ${first.message}`);

  const imports: Import[] = [];
  const add = (source: { type: string; start: number; value?: unknown } | null): void => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    imports.push({ specifier: source.value, line: lineAt(text, source.start) });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    CallExpression: (node) => {
      const argument = node.arguments[0];
      if (node.callee.type === 'Identifier' && node.callee.name === 'require' && argument) add(argument);
    },
  }).visit(program);
  return imports.sort((left, right) => left.line - right.line);
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
