// An agent with a tool of its own, as a user writes it: says something in a session, or goes on with what a crash left.
import { appendFileSync } from 'node:fs';
import { Agent, defineTool } from '@rondo/sdk/agent';

const [, , model = '', how = '', sessionId = '', orders = ''] = process.argv;

const ship = defineTool({
  name: 'ship_order',
  description: 'Ships an order. Waits for ever when told to.',
  input: { type: 'object', properties: { id: { type: 'string' }, wait: { type: 'boolean' } }, required: ['id'] },
  async run({ id, wait }) {
    appendFileSync(orders, `${id}\n`);
    // A timer keeps the process alive, as a request to a shop would.
    if (wait === true) await new Promise(() => setInterval(() => {}, 1_000_000));
    return `shipped ${id}`;
  },
});

await using clerk = new Agent({
  model,
  name: 'clerk',
  instructions: 'Ship orders.',
  tools: [ship],
});

if (how === 'start') {
  const session = await clerk.startSession();
  process.stdout.write(`${session.id}\n`);
  await session.run('Ship order 7.');
} else {
  const record = await clerk.session(sessionId).run('What became of order 7?');
  process.stdout.write(`${record.type === 'busy' ? 'busy' : record.text}\n`);
}
