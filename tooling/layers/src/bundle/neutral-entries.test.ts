import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleForBrowser } from './neutral-entries.ts';

test('a Node built-in behind a neutral entry is named with file and line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rondo-neutral-'));
  try {
    await writeFile(join(folder, 'entry.ts'), "export { read } from './read.ts';\n");
    await writeFile(
      join(folder, 'read.ts'),
      "\nimport { readFileSync } from 'fs';\nexport const read = readFileSync;\n",
    );
    await writeFile(join(folder, 'pure.ts'), 'export const one = 1;\n');
    expect(await bundleForBrowser(folder, 'entry.ts')).toEqual([
      { where: 'read.ts:2', message: expect.stringContaining('"fs" is Node\'s') },
    ]);
    expect(await bundleForBrowser(folder, 'pure.ts')).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
