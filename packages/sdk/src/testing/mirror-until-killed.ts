import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { query } from '../query.ts';
import { lineStore } from './line-store.ts';

// Works on a session whose store ends this process, without a word, before its line of that number.
const [home = '', sessionId = '', store = '', last = '', flush = ''] = process.argv.slice(2);
const sessionStore = lineStore(store, (count) => {
  if (count === Number(last)) process.kill(process.pid, 'SIGKILL');
});
const model = scriptedModel([
  call('Read', { file_path: `${home}/none` }),
  call('Read', { file_path: store }),
  say('done'),
]);
const options = { model, home, cwd: '/', sessionId, sessionStore, settingSources: [], env: {} };
for await (const _line of query({
  prompt: 'go',
  options: { ...options, tools: ['Read'], sessionStoreFlush: flush === 'eager' ? 'eager' : 'batched' },
}));
