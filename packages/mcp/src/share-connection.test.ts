import { expect, test } from 'vitest';
import { shareConnection } from './share-connection.ts';
import type { McpServer, McpTransport } from './mcp-server.ts';

const clientInfo = { name: 'test', version: '1' };

/** Never answers whoever comes first, and serves everybody after. */
function slowToWake() {
  let comers = 0;
  const instance: McpServer = {
    async connect(transport: McpTransport) {
      comers += 1;
      if (comers === 1) return await new Promise<never>(() => {});
      transport.onmessage = ({ id, method }) => {
        const serverInfo = { name: 'slow', version: '1' };
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
        if (method === 'initialize') void transport.send({ jsonrpc: '2.0', id, result });
      };
      await transport.start();
    },
    async close() {},
  };
  return { instance, comers: () => comers };
}

test('who shares an attempt to reach a server waits by its own signal, and fails by nobody else’s', async () => {
  const { instance, comers } = slowToWake();
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const one = shareConnection(instance, { signal: first.signal, clientInfo });
  const two = shareConnection(instance, { signal: second.signal, clientInfo });
  const three = shareConnection(instance, { signal: third.signal, clientInfo });
  const [oneFails, threeFails] = [one, three].map((each) => expect(each).rejects.toThrow('enough'));
  third.abort(new Error('enough'));
  await threeFails;
  first.abort(new Error('enough'));
  await oneFails;
  const connection = await two;
  expect(connection.serverInfo).toEqual({ name: 'slow', version: '1' });
  expect(comers()).toBe(2);
  await connection.close();
});
