import { query } from '@rondo/sdk';

const result = query({
  prompt: 'Analyze this code',
  options: {
    env: {
      ...process.env,
      API_TIMEOUT_MS: '120000',
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_ASYNC_AGENT_STALL_TIMEOUT_MS: '120000',
    },
  },
});

// ---- what follows is not of the reference

for await (const message of result) if ('result' in message) console.log(message.result);
