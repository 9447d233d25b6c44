import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servePage } from '../../../../examples/session-app/serve-page.ts';
import { findBrowser } from '../../../setup/src/find-browser.mjs';
import { createPlace, type Place } from '../harness/place.ts';
import { startCommand } from '../harness/start-command.ts';
import { scriptModel } from '../harness/write-script.ts';

const executablePath = findBrowser();

/** An agent as a user writes one, with the packages that are installed beside it. Each charge is a line in a file. */
const clerk = (model: string, charged: string): string => `
import { appendFileSync } from 'node:fs';
import { Agent, defineTool } from '@rondo/sdk/agent';
const charge = defineTool({
  name: 'charge',
  description: 'Charges an amount.',
  input: { type: 'object', properties: { amount: { type: 'number' } } },
  run({ amount }) {
    appendFileSync(${JSON.stringify(charged)}, amount + '\\n');
    return 'charged';
  },
});
export default new Agent({ name: 'clerk', model: ${JSON.stringify(model)}, tools: [charge], permissionMode: 'ask' });
`;

/** `rondo serve` with the clerk, who waits with its answer for a file. */
async function serveClerk(place: Place, origin: string) {
  const [charged, letGo] = [join(place.folder, 'charged'), join(place.folder, 'let-go')];
  const model = scriptModel(place, [
    { call: 'charge', input: { amount: 30 } },
    { text: '30 are charged.', hold: { until: letGo } },
    { text: 'You are welcome.' },
  ]);
  const agents = join(place.project, 'agents');
  mkdirSync(agents);
  symlinkSync(join(import.meta.dirname, '..', '..', 'node_modules'), join(place.project, 'node_modules'));
  writeFileSync(join(agents, 'clerk.mjs'), clerk(model, charged));
  // What is installed beside the agent is the workspace's own source.
  const env = { NODE_OPTIONS: '--conditions=@rondo/source' };
  const host = startCommand({ place, args: ['serve', '--agents', agents, '--allow-origin', origin], env });
  let said = '';
  host.child.stdout?.on('data', (piece: string) => (said += piece));
  await host.printed('Serving clerk');
  const [, url = ''] = /^Listening on http:(\S+)$/m.exec(said) ?? [];
  const token = readFileSync(join(place.home, 'serve.token'), 'utf8').trim();
  return { host, url: `ws:${url}`, token, charged, letGo };
}

// Where there is none, `npm test` says so at its start and how to get one.
describe.skipIf(executablePath === undefined)('a page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    });
  }, 60_000);
  afterAll(() => browser.close());

  test('starts a turn of rondo serve, answers an approval, and after a reload goes on at its cursor', {
    timeout: 60_000,
  }, async () => {
    using place = createPlace();
    await using page = await servePage();
    const served = await serveClerk(place, page.origin);
    const { token } = served;
    page.connectTo({ url: served.url, token, agent: 'clerk' });

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
    writeFileSync(served.letGo, '');
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
    expect(readFileSync(served.charged, 'utf8')).toBe('30\n');
    expect(faults).toEqual([]);
    await context.close();
    served.host.child.kill('SIGTERM');
    expect((await served.host.exit).exitCode).toBe(0);
  });
});
