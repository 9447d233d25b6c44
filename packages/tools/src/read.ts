import { defineTool, type ToolInput } from '@rondo/runtime';

export type ReadInput = ToolInput<typeof input>;

const input = {
  type: 'object',
  properties: {
    file_path: { type: 'string', description: 'Absolute path of the file, or one relative to the working folder.' },
    offset: { type: 'integer', minimum: 0, description: 'First line to show, counted from 1.' },
    limit: { type: 'integer', minimum: 1, description: 'Most lines to show.' },
    character_offset: {
      type: 'integer',
      minimum: 0,
      description: 'Characters of the first line to leave out, to go on inside a very long line.',
    },
    pages: { type: 'string', description: 'For PDF files: one page ("3") or a range ("1-5").' },
  },
  required: ['file_path'],
  additionalProperties: false,
} as const;

export const read = defineTool({
  name: 'Read',
  title: 'Read a file',
  kind: 'builtin',
  description: `Shows a file: text with line numbers ("N<tab>line"), images and PDFs as such, notebooks (.ipynb) as cells with their outputs.
- Files up to 256 KB come whole. Of larger ones a page comes, and its last line says with which offset (and character_offset, inside a very long line) to read on.
- offset and limit choose lines. The numbers and the tab are not part of the file.
- Folders are not shown; list them with Bash.`,
  input,
  effect: 'none',
  annotations: { title: 'Read a file', readOnlyHint: true, openWorldHint: false },
  ruleContent: 'path',
  access: ({ file_path }) => ({ reads: [file_path] }),
  async run(args, context) {
    const { runRead } = await import('./read/run-read.ts');
    return runRead(args, context);
  },
});
