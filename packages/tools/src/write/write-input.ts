import type { ToolInput } from '@rondo/runtime';

export const writeInput = {
  type: 'object',
  properties: {
    file_path: { type: 'string', description: 'Absolute path of the file, or one relative to the working folder.' },
    content: { type: 'string', description: 'All that the file shall hold.' },
  },
  required: ['file_path', 'content'],
  additionalProperties: false,
} as const;

export type WriteInput = ToolInput<typeof writeInput>;
