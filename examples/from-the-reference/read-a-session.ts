import { listSessions, getSessionMessages } from '@rondo/sdk';

const [latest] = await listSessions({ dir: '/path/to/project', limit: 1 });

if (latest) {
  const messages = await getSessionMessages(latest.sessionId, {
    dir: '/path/to/project',
    limit: 20,
  });

  for (const msg of messages) {
    console.log(`[${msg.type}] ${msg.uuid}`);
  }
}
