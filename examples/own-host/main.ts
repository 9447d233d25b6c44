// A host of one's own: the runtime with a real adapter (here against a scripted server that speaks its wire), served
// over a channel to a client that follows by cursor.
import assert from 'node:assert/strict';
import { connect } from '@rondo/client';
import { serveRuntime } from '@rondo/host';
import { createMemoryChannel } from '@rondo/protocol';
import { createAnthropicModel } from '@rondo/providers/anthropic';
import { startModelServer, text } from '@rondo/providers/testing';
import { compilePolicy, createMemoryStore } from '@rondo/runtime';
import { createNodeRuntime } from '@rondo/runtime/node';
import { createLocalSandbox } from '@rondo/sandbox';

const server = await startModelServer({ script: [text('Good morning.'), text('Good night.')] });
const runtime = createNodeRuntime({ store: createMemoryStore() });
const [ours, theirs] = createMemoryChannel();
serveRuntime(runtime, theirs, { trusted: true });

const cwd = process.cwd();
const bindingId = runtime.bind({
  agent: { name: 'greeter', fingerprint: '1' },
  cwd,
  model: createAnthropicModel({ model: 'claude-sonnet-4-5', apiKey: 'any', baseUrl: server.url }),
  system: 'You greet.',
  tools: [],
  policy: compilePolicy({ directories: [cwd] }),
  unattended: 'deny',
  sandbox: createLocalSandbox(),
  env: {},
});

const client = connect(ours, { trusted: true });
const session = await client.createSession({ bindingId });
const handle = client.session(session.id, { bindingId });
const morning = await handle.run('Greet me at eight.');
assert.equal(morning.type, 'completed');

const seen: string[] = [];
const evening = await handle.startTurn('Greet me at ten.');
assert.ok('id' in evening);
for await (const event of handle.events({ after: morning.cursor })) {
  seen.push(event.type);
  if (event.type === 'turn.ended') break;
}
const night = await evening.get();
assert.equal(night.text, 'Good night.');
assert.equal(seen[0], 'turn.started');
assert.equal(seen.at(-1), 'turn.ended');

client.close();
await runtime.close();
server.assertDone();
await server.close();
process.stdout.write(`${morning.text} ${night.text}\n`);
