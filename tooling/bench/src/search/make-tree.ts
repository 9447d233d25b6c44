// Makes a tree to be searched: `make-tree.ts FOLDER FILES`. The same one every time, a few lines a file.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commonWord, filesAFolder, rareEvery, rareWord } from './tree-words.ts';

const [folder = '', size] = process.argv.slice(2);
const files = Number(size);
const endings = ['ts', 'js', 'md', 'json', 'py'] as const;
const lines = Array.from({ length: 30 }, (_, index) => `const value${index} = ${commonWord}(${index});`);

for (let file = 0; file < files; file += 1) {
  const index = Math.floor(file / filesAFolder);
  const place = path.join(folder, `package-${index % 40}`, 'src', `part-${index}`);
  if (file % filesAFolder === 0) mkdirSync(place, { recursive: true });
  const rare = file % rareEvery === 0 ? [`const found = ${rareWord}(${file});`] : [];
  const text = [`// file ${file}`, ...lines, ...rare, ''].join('\n');
  writeFileSync(path.join(place, `file-${file % filesAFolder}.${endings[file % endings.length] ?? 'txt'}`), text);
}
