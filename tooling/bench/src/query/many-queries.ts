import { query, type SDKResultMessage } from '@rondo/sdk';
import { measureSessions } from '../sessions/measure-sessions.ts';

const [, , count, home = ''] = process.argv;

/** Sessions in memory, or in files where a folder is given; what a program keeps of a query is its result. */
const options = { allowedTools: ['Read'], ...(home === '' ? { persistSession: false } : { home }) };

await measureSessions({
  count: Number(count),
  async runSession(index): Promise<SDKResultMessage | undefined> {
    let result: SDKResultMessage | undefined;
    for await (const message of query({ prompt: `What does note ${index} say?`, options })) {
      if (message.type === 'result') result = message;
    }
    if (result?.subtype !== 'success') throw new Error(`query ${index} ended in ${JSON.stringify(result)}`);
    return result;
  },
});
