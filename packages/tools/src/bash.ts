import { defineTool, type ToolInput } from '@rondo/runtime';

export type BashInput = ToolInput<typeof input>;

const input = {
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

export const bash = defineTool({
  name: 'Bash',
  title: 'Run a shell command',
  kind: 'builtin',
  description: `Runs a command with bash and gives its output.
- Each call starts anew in the session's folder: cd, variables and functions do not last. Input is closed, so nothing can be asked or typed.
- When the command returns or its time is over, everything it started is ended, processes in the background too.
- Of output over 30000 characters the beginning and the end come back; the whole is in a file that the result names.
- Use Read, Write and Edit for files rather than cat, echo and sed.`,
  input,
  effect: 'once',
  annotations: { title: 'Run a shell command', destructiveHint: true, openWorldHint: true },
  ruleContent: 'command',
  access: ({ command }) => ({ command }),
  async run(args, context) {
    const { runBash } = await import('./bash/run-bash.ts');
    return runBash(args, context);
  },
});
