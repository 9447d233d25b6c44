import { listSessions } from '@rondo/sdk';

const sessions = await listSessions({ dir: '/path/to/project', limit: 10 });

for (const session of sessions) {
  console.log(`${session.summary} (${session.sessionId})`);
}
