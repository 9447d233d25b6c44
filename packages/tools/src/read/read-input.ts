import type { ToolInput } from '@rondo/runtime';

export const readInput = {
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

export type ReadInput = ToolInput<typeof readInput>;
