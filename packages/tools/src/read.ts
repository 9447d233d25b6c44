import { defineTool } from '@rondo/runtime';
import { readInput } from './read/read-input.ts';

export const read = defineTool({
  name: 'Read',
  title: 'Read a file',
  kind: 'builtin',
  description: `Shows a file: text with line numbers ("N<tab>line"), images and PDFs as such, notebooks (.ipynb) as cells with their outputs.
- Files up to 256 KB come whole. Of larger ones a page comes, and its last line says with which offset (and character_offset, inside a very long line) to read on.
- offset and limit choose lines. The numbers and the tab are not part of the file.
- Folders are not shown; list them with Bash.`,
  input: readInput,
  effect: 'none',
  annotations: { title: 'Read a file', readOnlyHint: true, openWorldHint: false },
  ruleContent: 'path',
  access: ({ file_path }) => ({ reads: [file_path] }),
  async run(args, context) {
    const { runRead } = await import('./read/run-read.ts');
    return runRead(args, context);
  },
});
