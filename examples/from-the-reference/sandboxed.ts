import { query } from '@rondo/sdk';

try {
  for await (const message of query({
    prompt: 'Build and test my project',
    options: {
      sandbox: {
        enabled: true,
        autoAllowBashIfSandboxed: true,
        network: {
          allowLocalBinding: true,
        },
      },
    },
  })) {
    if ('result' in message) console.log(message.result);
  }
} catch (error) {
  console.log(`Session ended with an error: ${error}`);
}
