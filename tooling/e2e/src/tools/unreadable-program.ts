// Searches a folder in which not all may be read, and prints what the tools say. Run as a user whom modes bind.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isToolError, type Tool } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { builtinTools } from '@rondo/tools';

await using tool = await temporaryToolContext();
const at = (name: string): string => join(tool.folder, name);
for (const name of ['open', 'secret']) await writeFile(at(name), 'word\n');
await mkdir(at('locked'));
await writeFile(join(at('locked'), 'inner'), 'word\n');
await chmod(at('secret'), 0);
await chmod(at('locked'), 0);

const { Grep, Glob } = builtinTools;
const said = async (
  searching: Tool,
  input: Parameters<Tool['run']>[0],
  changes?: Parameters<typeof tool.context>[0],
): Promise<unknown> => {
  try {
    return (await searching.run(input, tool.context(changes))).content;
  } catch (error) {
    return isToolError(error) ? error.message : `no ToolError: ${String(error)}`;
  }
};
const results = [
  await said(Grep, { pattern: 'word' }),
  await said(Grep, { pattern: 'word', output_mode: 'content' }),
  await said(Glob, { pattern: '**' }),
  await said(Grep, { pattern: 'word', path: 'locked' }),
  await said(Grep, { pattern: 'word', path: 'secret' }),
  await said(Grep, { pattern: 'word' }, { pathFilter: () => Promise.resolve((path) => path === at('open')) }),
];
await chmod(at('locked'), 0o700);
process.stdout.write(JSON.stringify(results));
