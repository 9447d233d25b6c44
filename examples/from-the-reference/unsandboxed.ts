import { query } from '@rondo/sdk';

// What the reference leaves to its reader.
const isCommandAuthorized = (command: unknown): boolean => command === 'echo deployed';

for await (const message of query({
  prompt: 'Deploy my application',
  options: {
    sandbox: {
      enabled: true,
      allowUnsandboxedCommands: true,
    },
    permissionMode: 'default',
    canUseTool: async (tool, input) => {
      if (tool === 'Bash' && input.dangerouslyDisableSandbox) {
        console.log(`Unsandboxed command requested: ${input.command}`);
        if (isCommandAuthorized(input.command)) {
          return { behavior: 'allow' as const, updatedInput: input };
        }
        return {
          behavior: 'deny' as const,
          message: 'Command not authorized for unsandboxed execution',
        };
      }
      return { behavior: 'allow' as const, updatedInput: input };
    },
  },
})) {
  if ('result' in message) console.log(message.result);
}
