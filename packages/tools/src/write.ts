import { defineTool } from '@rondo/runtime';
import { writeInput } from './write/write-input.ts';

/**
 * What is kept of an existing file: mode, owner and the symbolic links that lead to it; its byte order mark; its encoding,
 * unless the content has a character that it lacks: then the file becomes UTF-8 and the result says so; its line break,
 * when all of its lines end with the same one and the content has none but `\n`.
 */
export const write = defineTool({
  name: 'Write',
  title: 'Write a file',
  kind: 'builtin',
  description: `Writes a whole file, making its folders where they are missing and replacing what was there.
- To change a part of a file use Edit.
- An existing file keeps its mode, encoding and line endings. It is not replaced when it changed since it was last read, nor outside the session's folders when it was not read; read it first.`,
  input: writeInput,
  effect: 'idempotent',
  annotations: { title: 'Write a file', destructiveHint: true, idempotentHint: true, openWorldHint: false },
  ruleContent: 'path',
  access: ({ file_path }) => ({ writes: [file_path] }),
  async run(args, context) {
    const { runWrite } = await import('./write/run-write.ts');
    return runWrite(args, context);
  },
});
