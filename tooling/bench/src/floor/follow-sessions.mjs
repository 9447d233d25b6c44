// The floor of a client: one socket, and what it says goes to whoever follows the session.
import { once } from 'node:events';
import WebSocket from 'ws';

export async function openSocket(url) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const followers = new Map();
  socket.on('message', (data) => {
    const event = JSON.parse(data);
    followers.get(event.session)?.(event);
  });
  await once(socket, 'open');
  return {
    /** Runs a turn; resolves when it has ended. */
    run: (session, text, onEvent) =>
      new Promise((resolve) => {
        followers.set(session, (event) => {
          onEvent(event);
          if (event.type !== 'ended') return;
          followers.delete(session);
          resolve();
        });
        socket.send(JSON.stringify({ session, text }));
      }),
    close: () => socket.terminate(),
  };
}
