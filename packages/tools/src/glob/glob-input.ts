import type { ToolInput } from '@rondo/runtime';

export const globInput = {
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      description: 'Which files, e.g. "**/*.ts", "src/**/*.{js,jsx}". "*.json" is for the folder itself alone.',
    },
    path: {
      type: 'string',
      description: "The folder to look in: absolute, or relative to the session's folder, which it is unless said.",
    },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const;

export type GlobInput = ToolInput<typeof globInput>;
