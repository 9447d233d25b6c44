// Webhook-safe starts: a sender delivers an alert more than once, at once and again after our process has died. Keys that
// come from the alert make one session and one turn of all of its deliveries; another alert under the same number is refused.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { isRondoError } from '@rondo/protocol/values';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { Agent } from '@rondo/sdk/agent';
import { z } from 'zod';

const Alert = z.object({ id: z.string(), text: z.string() });

/** A service that takes alerts, and answers each delivery once its turn is stored: the work itself takes as long as it takes. */
async function serve(agent: Agent) {
  const server = createServer((request, response) => {
    async function take(): Promise<readonly [status: number, body: object]> {
      const { id, text } = Alert.parse(await json(request));
      const session = await agent.startSession({ idempotencyKey: `alert:${id}`, title: `Alert ${id}` });
      try {
        const turn = await session.startTurn(`Review this alert: ${text}`, { idempotencyKey: `alert:${id}:review` });
        // Whatever else the session is busy with, the sender comes again later.
        if (turn.type === 'busy') return [503, { retry: true }];
        return [202, { session: session.id, turn: turn.id }];
      } catch (error) {
        if (isRondoError(error, 'session.idempotency_conflict')) return [409, { message: 'another alert had this ID' }];
        throw error;
      }
    }
    take().then(
      ([status, body]) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async deliver(alert: z.infer<typeof Alert>) {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(alert) });
      return { status: response.status, body: await response.json() };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const home = mkdtempSync(join(tmpdir(), 'rondo-webhook-'));
const model = scriptedModel([say('Disk 7 is full: rotate its logs.')]);
const alert = { id: '4711', text: 'disk 7 at 99 %' };
const reviewer = () => new Agent({ name: 'reviewer', model, instructions: 'You review alerts.', home });

let accepted: unknown;
{
  await using agent = reviewer();
  await using service = await serve(agent);
  const deliveries = await Promise.all([service.deliver(alert), service.deliver(alert), service.deliver(alert)]);
  const [{ status, body }] = deliveries;
  for (const delivery of deliveries) assert.deepEqual(delivery, { status, body });
  assert.equal(status, 202);
  accepted = body;
  const { session, turn } = z.object({ session: z.string(), turn: z.string() }).parse(body);
  assert.equal((await agent.session(session).turn(turn).result()).text, 'Disk 7 is full: rotate its logs.');
}
{
  // The service was started again. The sender never heard of its success, and delivers once more.
  await using agent = reviewer();
  await using service = await serve(agent);
  assert.deepEqual(await service.deliver(alert), { status: 202, body: accepted });
  assert.equal((await service.deliver({ ...alert, text: 'disk 8 at 99 %' })).status, 409);
  const sessions = await Array.fromAsync(agent.sessions());
  assert.deepEqual(
    sessions.map(({ title, turns }) => ({ title, turns })),
    [{ title: 'Alert 4711', turns: 1 }],
  );
}
model.assertDone();
rmSync(home, { recursive: true });
process.stdout.write('Four deliveries, one review.\n');
