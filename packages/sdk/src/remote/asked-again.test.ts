import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { openHost, paid } from '../testing/agent-host.ts';
import { collectMessages } from '../testing/collect-messages.ts';

// A busy machine takes its time to load what a session needs.
vi.setConfig({ testTimeout: 60_000 });

const asking = () => openHost({ clerk: scriptedModel([[call('pay', { amount: 3 })], [say('It is paid.')]]) });

test('reinitialize puts a question at a host again under its ID, also one that waits; the first answer counts', async () => {
  await using host = await asking();
  const asked: string[] = [];
  const waits = Promise.withResolvers<AbortSignal>();
  const canUseTool: Options['canUseTool'] = (_name, _input, { requestId, signal }) => {
    asked.push(requestId);
    if (asked.length > 1) return Promise.resolve({ behavior: 'allow', updatedInput: { amount: 5 } });
    waits.resolve(signal);
    return new Promise(() => {});
  };
  const running = query({ prompt: 'Pay 3.', options: { ...host.options, canUseTool } });
  const lines = collectMessages(running);
  const signal = await waits.promise;
  expect(await running.reinitialize()).toMatchObject({ output_style: 'default' });
  expect((await lines).at(-1)).toMatchObject({ result: 'It is paid.' });
  expect(signal.aborted).toBe(true);
  expect(new Set(asked).size).toBe(1);
  expect(asked).toHaveLength(2);
  expect(paid.splice(0)).toEqual([5]);
});

test('a question at a host that was answered null is answered after it is put again', async () => {
  await using host = await asking();
  let times = 0;
  const left = Promise.withResolvers<void>();
  const canUseTool: Options['canUseTool'] = () => {
    times += 1;
    return Promise.resolve(times < 3 ? null : { behavior: 'deny', message: 'no' });
  };
  const stderr = (): void => left.resolve();
  const running = query({ prompt: 'Pay 3.', options: { ...host.options, canUseTool, stderr } });
  const lines = collectMessages(running);
  await left.promise;
  await running.reinitialize();
  await running.reinitialize();
  expect((await lines).at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'pay' }] });
  expect(paid.splice(0)).toEqual([]);
});

test('where nothing is asked, reinitialize asks nothing', async () => {
  await using host = await asking();
  const running = query({ prompt: 'Pay 3.', options: host.options });
  await running.next();
  expect(await running.reinitialize()).toMatchObject({ models: expect.any(Array) as unknown });
  await running.return();
});
