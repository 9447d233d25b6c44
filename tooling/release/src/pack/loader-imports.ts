import type { Plugin } from 'rolldown';
import { Visitor } from 'rolldown/utils';

/** What the loader of the chunks gives each of them under this name: an `import()`, which scripts cannot do themselves. */
const importer = '__importModule';

/** Has chunks ask their loader for what is not of the bundle. A file that Node itself loads is left as it is. */
export function loaderImports(loadedByNode: readonly string[]): Plugin {
  return {
    name: 'loader-imports',
    renderChunk(code, chunk) {
      if (loadedByNode.includes(chunk.name)) return null;
      let result = '';
      let end = 0;
      const visitor = new Visitor({
        ImportExpression({ start }) {
          result += code.slice(end, start) + importer;
          end = start + 'import'.length;
        },
      });
      visitor.visit(this.parse(code));
      return end === 0 ? null : { code: result + code.slice(end), map: null };
    },
  };
}
