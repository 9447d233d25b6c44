import { parseSync } from 'oxc-parser';
import { posix } from 'node:path';
import type { SourceFile, SourceTree } from '../source/source-tree.ts';
import type { Problem } from './problem.ts';

/** An `index.ts` stands at an entry of the package, and holds nothing but names re-exported one by one. */
export function entryPoints(tree: SourceTree): Problem[] {
  return [...tree.files.values()].flatMap((file) => {
    if (posix.basename(file.path) !== 'index.ts') return [];
    if (!isEntry(file)) return [{ where: file.path, message: 'index.ts stands only at an entry of the exports map' }];
    const { program } = parseSync(file.path, file.text);
    return program.body.flatMap((statement) => {
      const where = `${file.path}:${file.text.slice(0, statement.start).split('\n').length}`;
      if (statement.type === 'ExportAllDeclaration') return [{ where, message: 'an entry exports by name, not by *' }];
      const isReexport = statement.type === 'ExportNamedDeclaration' && statement.declaration === null;
      return isReexport ? [] : [{ where, message: 'an entry holds only names: the code goes into a file of its own' }];
    });
  });
}

function isEntry({ path, package: owner }: SourceFile): boolean {
  return Object.values(owner.manifest.exports ?? {}).some(
    (entry) => typeof entry === 'object' && posix.join(owner.folder, entry['@rondo/source'] ?? '') === path,
  );
}
