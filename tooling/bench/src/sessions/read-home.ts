// Reads a home: `read-home.ts HOME list` asks for the first page of its sessions, `read-home.ts HOME resume ID` opens
// one for its next turn. Prints the milliseconds from opening the store until the answer.
import { localModel } from './local-model.ts';
import { openEngine, storeIn } from './open-engine.ts';

const pageSize = 50;
const [home, what, sessionId = ''] = process.argv.slice(2);
const startedAt = performance.now();
await using engine = openEngine({ model: localModel(), store: storeIn(home), read: () => Promise.resolve('') });

if (what === 'list') {
  const page = await engine.client.request('session/list', { limit: pageSize });
  if (page.sessions.length !== pageSize) throw new Error(`The page has ${page.sessions.length} sessions.`);
} else {
  const { info } = await engine.client.openSession(sessionId, { bindingId: engine.bindingId, unfinished: 'settle' });
  if (info.turns === 0) throw new Error('The session has no turns.');
}
process.stdout.write(`${performance.now() - startedAt}\n`);
