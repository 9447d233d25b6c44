import { defineTool } from '@rondo/runtime';
import { globInput } from './glob/glob-input.ts';
import { splitPattern } from './glob/split-pattern.ts';

/**
 * Order: newest first by modification time, then by path. Ignore files count, outside of repositories too; hidden files are
 * found, data of version control is not. Symbolic links are not followed, but for the folder that is searched.
 */
export const glob = defineTool({
  name: 'Glob',
  title: 'Find files',
  kind: 'builtin',
  description: `Finds files by name, the newest first, at most 100.
- pattern is a glob: * and ? within a name, ** over folders, {one,two}, [a-z]. It stands for the whole path: *.ts is for the folder itself, **/*.ts for all below it too.
- Hidden files are found. What .gitignore leaves out is not, unless path or the beginning of pattern names its folder; nor is .git.
- Search in files with Grep.`,
  input: globInput,
  effect: 'none',
  annotations: { title: 'Find files', readOnlyHint: true, openWorldHint: false },
  ruleContent: 'path',
  access: (input) => ({ reads: [splitPattern(input).folder] }),
  async run(args, context) {
    const { runGlob } = await import('./glob/run-glob.ts');
    return runGlob(args, context);
  },
});
