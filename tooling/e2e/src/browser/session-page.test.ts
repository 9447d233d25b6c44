import { servePage } from '../../../../examples/session-app/serve-page.ts';
import { findBrowser } from '../../../setup/src/find-browser.mjs';
import { listen } from '@rondo/host/node';
import { createMemoryStore, createRuntime } from '@rondo/runtime';
import { call, pauseUntil, recordingTool, say, scriptedModel, sha256, temporaryBinding } from '@rondo/runtime/testing';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const executablePath = findBrowser();

// Where there is none, `npm test` says so at its start and how to get one.
describe.skipIf(executablePath === undefined)('a page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    });
  });
  afterAll(() => browser.close());

  test('starts a turn, answers an approval, and after a reload goes on at its cursor', async () => {
    const letGo = Promise.withResolvers<void>();
    const model = scriptedModel([
      call('Charge', { amount: 30 }),
      [pauseUntil(letGo.promise), ...[say('30 are charged.')].flat()],
      say('You are welcome.'),
    ]);
    const charge = recordingTool({ name: 'Charge', effect: 'once' });
    await using temporary = await temporaryBinding({ model, tools: [charge], policy: { allowedTools: [] } });
    const runtime = createRuntime({ store: createMemoryStore(), sha256 });
    runtime.bind(temporary.binding, 'agent:clerk');
    await using page = await servePage();
    const token = 'a-token-of-the-test';
    const ada = { name: 'ada', rights: ['read', 'answer', 'drive'], token } as const;
    await using host = await listen(runtime, { tokens: [ada], allowedOrigins: [page.origin] });
    page.connectTo({ url: host.url.replace('http:', 'ws:'), token, agent: 'clerk' });

    const context = await browser.newContext();
    const tab = await context.newPage();
    const faults: unknown[] = [];
    const asked: string[] = [];
    tab.on('pageerror', (fault) => faults.push(fault));
    tab.on('websocket', (socket) => {
      asked.push(socket.url());
      socket.on('framesent', ({ payload }) => asked.push(String(payload)));
    });
    const lines = tab.locator('#lines li');
    const answer = tab.locator('#questions button');

    await tab.goto(page.origin);
    await tab.locator('#message').fill('Charge 30, please.');
    await tab.locator('#form button').click();
    await answer.first().waitFor();
    expect(await lines.allTextContents()).toEqual(['you: Charge 30, please.']);

    // The question outlives the page that showed it, and what was seen is not asked for again.
    asked.length = 0;
    await tab.reload();
    await answer.first().waitFor();
    expect(await lines.allTextContents()).toEqual(['you: Charge 30, please.']);
    await answer.filter({ hasText: 'Allow' }).click();
    await answer.first().waitFor({ state: 'detached' });
    letGo.resolve();
    await lines.filter({ hasText: 'agent: 30 are charged.' }).waitFor();
    const subscribed = asked.find((frame) => frame.includes('events/subscribe'));
    expect(JSON.parse(subscribed ?? '{}')).toMatchObject({
      params: { after: expect.stringMatching(/:\d+$/), deltas: true },
    });
    expect(asked[0]).not.toContain(token);

    await tab.reload();
    await lines.filter({ hasText: 'agent: 30 are charged.' }).waitFor();
    await tab.locator('#message').fill('Thank you.');
    await tab.locator('#form button').click();
    await lines.filter({ hasText: 'You are welcome.' }).waitFor();
    expect(await lines.allTextContents()).toEqual([
      'you: Charge 30, please.',
      'agent: 30 are charged.',
      'you: Thank you.',
      'agent: You are welcome.',
    ]);
    expect(charge.calls).toHaveLength(1);
    expect(faults).toEqual([]);
    await context.close();
    await runtime.close();
  });
});
