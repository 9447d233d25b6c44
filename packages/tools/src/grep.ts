import { defineTool } from '@rondo/runtime';
import { grepInput } from './grep/grep-input.ts';

/**
 * Order: by path, folder after folder, as bytes; lines as they stand in their file. So pages join without gap or overlap as
 * long as the files stay as they are. What is searched is what Glob finds; of binary files nothing after the first part
 * that shows it.
 */
export const grep = defineTool({
  name: 'Grep',
  title: 'Search in files',
  kind: 'builtin',
  description: `Searches files for a regular expression, with ripgrep: paths of files with a match, their lines, or counts, ordered by path.
- ( ) [ ] { } . * + ? | ^ $ and \\ have a meaning in pattern: put \\ before one that is meant as it stands. Look-around and backreferences work.
- Without multiline a match is within one line.
- Results come in pages, and the last line of one says with which offset to go on.
- Hidden files are searched. What .gitignore leaves out is not, unless path names the file or its folder; nor are .git and binary files.
- Find files by name with Glob.`,
  input: grepInput,
  effect: 'none',
  annotations: { title: 'Search in files', readOnlyHint: true, openWorldHint: false },
  ruleContent: 'path',
  access: ({ path = '' }) => ({ reads: [path === '' ? '.' : path] }),
  async run(args, context) {
    const { runGrep } = await import('./grep/run-grep.ts');
    return runGrep(args, context);
  },
});
