import type { ToolInput } from '@rondo/runtime';

export const editInput = {
  type: 'object',
  properties: {
    file_path: { type: 'string', description: 'Absolute path of the file, or one relative to the working folder.' },
    old_string: { type: 'string', description: 'The text to replace, exactly as in the file. Empty: make a new file.' },
    new_string: { type: 'string', description: 'The text to put in its place.' },
    replace_all: { type: 'boolean', default: false, description: 'Replace every occurrence instead of the only one.' },
  },
  required: ['file_path', 'old_string', 'new_string'],
  additionalProperties: false,
} as const;

export type EditInput = ToolInput<typeof editInput>;
