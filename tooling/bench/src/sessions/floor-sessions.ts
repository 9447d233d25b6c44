import { converse } from '../floor/converse.mjs';
import { measureSessions } from './measure-sessions.ts';

const baseUrl = process.env['ANTHROPIC_BASE_URL'] ?? '';

await measureSessions({
  count: Number(process.argv[2]),
  runSession: (index) => converse({ baseUrl, prompt: `What does note ${index} say?` }),
});
// Connections that wait for reuse would keep the process for seconds.
process.exit(0);
