// A session app: a host that serves an agent over WebSocket, and a window onto one of its sessions that keeps a cursor.
// The window is closed while a question waits and opened again; it misses nothing and sees nothing twice. With `--serve`
// the host stays, and the page of the same window is served for a browser.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from '@rondo/client';
import { listen } from '@rondo/host/node';
import { compilePolicy, createMemoryStore, defineTool, type Model } from '@rondo/runtime';
import { createNodeRuntime } from '@rondo/runtime/node';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { createLocalSandbox } from '@rondo/sandbox';
import { z } from 'zod';
import { servePage } from './serve-page.ts';
import { openSessionView, type Memory, type Seen, type SessionView } from './session-view.ts';

const refunds: number[] = [];
const refund = defineTool({
  name: 'refund',
  description: 'Pays an amount back.',
  input: z.object({ amount: z.number() }),
  run({ amount }) {
    refunds.push(amount);
    return Promise.resolve(`Paid ${amount} back.`);
  },
});

/** A host of one agent, on an address and with a token of its own. */
async function openHost(model: Model, allowedOrigins: readonly string[]) {
  const runtime = createNodeRuntime({ store: createMemoryStore() });
  const cwd = process.cwd();
  const bindingId = 'agent:clerk';
  runtime.bind(
    {
      agent: { name: 'clerk', fingerprint: '1' },
      cwd,
      model,
      system: 'You handle refunds.',
      tools: [refund],
      policy: compilePolicy({ directories: [cwd], tools: [refund] }),
      unattended: 'wait',
      sandbox: createLocalSandbox(),
      env: {},
    },
    bindingId,
  );
  const token = randomUUID();
  const ada = { name: 'ada', rights: ['read', 'answer', 'drive'], token } as const;
  const host = await listen(runtime, { tokens: [ada], allowedOrigins });
  const url = host.url.replace('http:', 'ws:');
  return {
    url,
    token,
    bindingId,
    async [Symbol.asyncDispose]() {
      await host.close();
      await runtime.close();
    },
  };
}

/** Resolves when the view shows what is looked for. */
function viewed(open: (show: (seen: Seen) => void) => SessionView) {
  let look = (_seen: Seen): void => {};
  const view = open((seen) => look(seen));
  return {
    view,
    until: (fits: (seen: Seen) => boolean) =>
      new Promise<Seen>((resolve) => {
        look = (seen) => {
          if (fits(seen)) resolve(structuredClone(seen));
        };
        look(view.seen);
      }),
  };
}

if (process.argv.includes('--serve')) {
  const model = scriptedModel([call('refund', { amount: 30 }), say('30 are on their way.')]);
  const page = await servePage();
  const host = await openHost(model, [page.origin]);
  page.connectTo({ url: host.url, token: host.token, agent: 'clerk' });
  process.stdout.write(`Open ${page.origin} and ask for 30 back. Ctrl+C ends it.\n`);
} else {
  const model = scriptedModel([call('refund', { amount: 30 }), say('30 are on their way.')]);
  await using host = await openHost(model, []);
  const kept = new Map<string, string>();
  const memory: Memory = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  };
  const client = connect(host.url, { token: host.token });
  const session = await client.createSession({ bindingId: host.bindingId });

  const first = viewed((show) => openSessionView(client, session, { memory, show }));
  await first.view.send('Please pay 30 back.');
  const asked = await first.until(({ questions }) => questions.length === 1);
  first.view.close();
  client.close();

  // Another process, another day: all it has is the session's ID and what the window remembered.
  const later = connect(host.url, { token: host.token });
  const handle = later.session(session.id, { bindingId: host.bindingId });
  const second = viewed((show) => openSessionView(later, handle, { memory, show }));
  assert.deepEqual(second.view.seen.questions, asked.questions);
  const [question] = asked.questions;
  assert.ok(question);
  await second.view.answer(question, true);
  const done = await second.until(({ lines }) =>
    lines.some(({ text, isWhole }) => isWhole && text.includes('on their way')),
  );
  second.view.close();
  await second.view.closed;
  later.close();

  assert.deepEqual(
    done.lines.map(({ who, text }) => `${who}: ${text}`),
    ['you: Please pay 30 back.', 'agent: 30 are on their way.'],
  );
  assert.deepEqual(done.questions, []);
  assert.deepEqual(refunds, [30]);
  model.assertDone();
  process.stdout.write(`${done.lines.map(({ text }) => text).join('\n')}\n`);
}
