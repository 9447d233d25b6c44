import type { Plugin, PluginContext } from 'rolldown';

type Program = ReturnType<PluginContext['parse']>;
type ImportDeclaration = Extract<Program['body'][number], { type: 'ImportDeclaration' }>;

/**
 * Reads Node's own modules from the process instead of importing them. An import statement makes a module namespace,
 * for which Node reads every export, lazy ones too: `import { styleText } from 'node:util'` loads a diff algorithm and
 * all text decoders. Read from the process, only what is named is loaded.
 */
export function builtinImports(): Plugin {
  return {
    name: 'builtin-imports',
    renderChunk(code) {
      let result = '';
      let end = 0;
      for (const statement of this.parse(code).body) {
        if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('node:')) continue;
        result += code.slice(end, statement.start) + readingOf(statement);
        end = statement.end;
      }
      return { code: result + code.slice(end), map: null };
    },
  };
}

function readingOf({ source, specifiers }: ImportDeclaration): string {
  const module = `process.getBuiltinModule(${JSON.stringify(source.value)})`;
  const whole: string[] = [];
  const named: string[] = [];
  for (const specifier of specifiers) {
    if (specifier.type !== 'ImportSpecifier') whole.push(`const ${specifier.local.name} = ${module};`);
    else named.push(`${exportName(specifier.imported)}: ${specifier.local.name}`);
  }
  if (specifiers.length === 0) return `${module};`;
  return [...whole, ...(named.length === 0 ? [] : [`const { ${named.join(', ')} } = ${module};`])].join(' ');
}

function exportName(
  imported: Extract<ImportDeclaration['specifiers'][number], { type: 'ImportSpecifier' }>['imported'],
): string {
  return JSON.stringify(imported.type === 'Identifier' ? imported.name : imported.value);
}
