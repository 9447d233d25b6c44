import { join } from 'node:path';
import { neutralEntries } from './bundle/neutral-entries.ts';
import { pinProblems, readPinUnder, writePins } from './pin/pins.ts';
import { checkHouse } from './rule/check-house.ts';
import { loadSourceTree } from './source/source-tree.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const tree = loadSourceTree(root);

if (process.argv.includes('--write-pins')) {
  writePins(root, tree);
} else {
  const problems = [...checkHouse(tree), ...pinProblems(tree, readPinUnder(root)), ...(await neutralEntries(root))];
  for (const { where, message } of problems) process.stderr.write(`${where}: ${message}\n`);
  process.stdout.write(`layers: ${tree.files.size} files, ${problems.length} problems\n`);
  if (problems.length > 0) process.exitCode = 1;
}
