import { query, type Query } from '@rondo/sdk';

const ignoring = (): Query => {
  const result = query({
    prompt: 'Analyze this code',
    options: { settingSources: [] },
  });
  return result;
};

const all = (): Query => {
  const result = query({
    prompt: 'Analyze this code',
    options: {
      settingSources: ['user', 'project', 'local'],
    },
  });
  return result;
};

const projectOnly = (): Query => {
  const result = query({
    prompt: 'Run CI checks',
    options: {
      settingSources: ['project'],
    },
  });
  return result;
};

const tests = (): Query => {
  const result = query({
    prompt: 'Run tests',
    options: {
      settingSources: ['project'],
      permissionMode: 'bypassPermissions',
    },
  });
  return result;
};

const programOnly = (): Query => {
  const result = query({
    prompt: 'Review this PR',
    options: {
      settingSources: [],
      agents: {
        /* ... */
      },
      mcpServers: {
        /* ... */
      },
      allowedTools: ['Read', 'Grep', 'Glob'],
    },
  });
  return result;
};

const conventions = (): Query => {
  const result = query({
    prompt: 'Add a new feature following project conventions',
    options: {
      systemPrompt: {
        type: 'preset',
        preset: 'claude_code',
      },
      settingSources: ['project'],
      allowedTools: ['Read', 'Write', 'Edit'],
    },
  });
  return result;
};

// ---- what follows is not of the reference: each is read to its end

for (const start of [ignoring, all, projectOnly, tests, programOnly, conventions]) {
  try {
    for await (const message of start()) if ('result' in message) console.log(`${start.name}: ${message.result}`);
  } catch (error) {
    // The reference asks for consent to this mode in an option of its own, which the example leaves out.
    console.log(`${start.name}: ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`);
  }
}
