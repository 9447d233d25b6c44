import type { ToolInput } from '@rondo/runtime';

const lines = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

export const grepInput = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, description: 'A regular expression in the syntax of ripgrep.' },
    path: {
      type: 'string',
      description: "A file or folder: absolute, or relative to the session's folder, which it is unless said.",
    },
    glob: {
      type: 'string',
      description:
        'Only files like this: "*.ts" at any depth, "src/**/*.{js,jsx}" from path on. "!*.test.ts" leaves files out; commas separate several.',
    },
    type: { type: 'string', description: 'Only files of this type of ripgrep: js, py, rust, …' },
    output_mode: {
      type: 'string',
      enum: ['content', 'files_with_matches', 'count'],
      description:
        'content gives lines, files_with_matches (unless said) paths, count the number of lines for each path.',
    },
    '-i': { type: 'boolean', description: 'Letter case does not matter.' },
    '-n': { type: 'boolean', description: 'Line numbers, for content; true unless said.' },
    '-B': lines('Lines to show before each match, for content.'),
    '-A': lines('Lines to show after each match, for content.'),
    '-C': lines('Lines to show before and after each match, for content.'),
    context: lines('The same as -C.'),
    head_limit: lines('Most lines, paths or counts to give; 250 unless said, 0 for as many as a result can hold.'),
    offset: lines('How many lines, paths or counts to leave out first, to go on where a result ended.'),
    multiline: { type: 'boolean', description: 'Matches may go over several lines, and "." is a line break too.' },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const;

export type GrepInput = ToolInput<typeof grepInput>;
