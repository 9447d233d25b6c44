import { defineTool } from '@rondo/runtime';
import { editInput } from './edit/edit-input.ts';

export const edit = defineTool({
  name: 'Edit',
  title: 'Edit a file',
  kind: 'builtin',
  description: `Replaces text in a file and leaves every other byte as it is.
- old_string must be exactly what the file holds, blanks included, without the line numbers of Read, and must occur once: take in more of the lines around it, or set replace_all.
- Write line breaks as plain newlines; the file's own line endings are matched and kept.
- A file that changed since it was last read is not edited; read it again first.`,
  input: editInput,
  effect: 'reconcile',
  annotations: { title: 'Edit a file', destructiveHint: true, openWorldHint: false },
  ruleContent: 'path',
  access: ({ file_path }) => ({ reads: [file_path], writes: [file_path] }),
  async prepare(args, context) {
    const { prepareEdit } = await import('./edit/run-edit.ts');
    return prepareEdit(args, context);
  },
  async reconcile(args, prepared, context) {
    const { reconcileEdit } = await import('./edit/reconcile-edit.ts');
    return reconcileEdit(args, prepared, context);
  },
  async run(args, context) {
    const { runEdit } = await import('./edit/run-edit.ts');
    return runEdit(args, context);
  },
});
