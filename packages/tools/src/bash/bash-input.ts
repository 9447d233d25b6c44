import type { ToolInput } from '@rondo/runtime';

export const bashInput = {
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, description: 'The shell line to run.' },
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Milliseconds until the command is ended: 120000 unless said, 600000 at most.',
    },
    description: { type: 'string', description: 'What the command does, in five to ten words.' },
    run_in_background: { type: 'boolean', description: 'Not available yet.' },
    dangerouslyDisableSandbox: { type: 'boolean', description: 'Run outside the sandbox, where that is allowed.' },
  },
  required: ['command'],
  additionalProperties: false,
} as const;

export type BashInput = ToolInput<typeof bashInput>;
