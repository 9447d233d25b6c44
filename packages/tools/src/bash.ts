import { defineTool } from '@rondo/runtime';
import { bashInput } from './bash/bash-input.ts';

export const bash = defineTool({
  name: 'Bash',
  title: 'Run a shell command',
  kind: 'builtin',
  description: `Runs a command with bash and gives its output.
- Each call starts anew in the session's folder: cd, variables and functions do not last. Input is closed, so nothing can be asked or typed.
- When the command returns or its time is over, everything it started is ended, processes in the background too.
- Of output over 30000 characters the beginning and the end come back; the whole is in a file that the result names.
- Use Read, Write and Edit for files rather than cat, echo and sed.`,
  input: bashInput,
  effect: 'once',
  annotations: { title: 'Run a shell command', destructiveHint: true, openWorldHint: true },
  ruleContent: 'command',
  access: ({ command, dangerouslyDisableSandbox }) => ({
    command,
    ...(dangerouslyDisableSandbox === true ? { unsandboxed: true } : {}),
  }),
  async run(args, context) {
    const { runBash } = await import('./bash/run-bash.ts');
    return runBash(args, context);
  },
});
