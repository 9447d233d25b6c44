// The floor of a host: sessions over WebSocket as one would write them by hand. They live in memory and end with the
// process; nothing is checked, nothing is stored, a reader that is slow is waited for by nobody.
import { once } from 'node:events';
import { WebSocketServer } from 'ws';
import { ask } from './converse.mjs';

/** Serves sessions of a model. A client sends `{ session, text }`, and follows that session from there on. */
export async function serveSessions(baseUrl) {
  const sessions = new Map();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, backlog: 4_096, perMessageDeflate: false });

  async function take(socket, { session: id, text }) {
    const session = sessions.get(id) ?? { messages: [], followers: new Set() };
    sessions.set(id, session);
    session.followers.add(socket);
    socket.on('close', () => session.followers.delete(socket));
    keep(id, session, { role: 'user', content: text });
    const content = await ask(baseUrl, session.messages, (piece) => show(id, session, { type: 'delta', text: piece }));
    keep(id, session, { role: 'assistant', content });
    show(id, session, { type: 'ended', at: Date.now() });
  }

  function keep(id, session, message) {
    session.messages.push(message);
    show(id, session, { type: 'message', at: Date.now(), message });
  }

  function show(id, { followers }, event) {
    const frame = JSON.stringify({ session: id, ...event });
    for (const socket of followers) socket.send(frame);
  }

  server.on('connection', (socket) => {
    socket.setMaxListeners(0);
    socket.on('message', (data) => take(socket, JSON.parse(data)));
    socket.on('error', () => {});
  });
  await once(server, 'listening');
  return `ws://127.0.0.1:${server.address().port}`;
}
