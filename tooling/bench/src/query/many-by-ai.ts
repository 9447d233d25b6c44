import { measureSessions } from '../sessions/measure-sessions.ts';
import { converseByAi } from './converse-by-ai.mjs';

await measureSessions({
  count: Number(process.argv[2]),
  runSession: (index) => converseByAi(`What does note ${index} say?`),
});
// Connections that wait for reuse would keep the process for seconds.
process.exit(0);
