import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a host that can fall silent in the middle: what is said is neither heard nor answered, and nobody hangs up. */
export async function openDeafProxy(host: string) {
  const { hostname, port } = new URL(host);
  const pairs: { readonly near: Socket; readonly far: Socket }[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far);
    far.pipe(near);
    pairs.push({ near, far });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `ws://127.0.0.1:${address.port}`,
    fallSilent() {
      for (const { near, far } of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    /** What was said meanwhile is heard in its order. */
    wakeUp() {
      for (const { near, far } of pairs) {
        near.pipe(far);
        far.pipe(near);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
