import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTool } from '../tool/define-tool.ts';
import type { ToolContext } from '../tool/tool.ts';
import { manualClock } from './manual-clock.ts';
import { recordingTool } from './recording-tool.ts';
import { scriptedModel } from './scripted-model.ts';
import { temporaryBinding } from './temporary-binding.ts';

const context = { callId: 'c', idempotencyKey: 'k' } as ToolContext;
const signal = new AbortController().signal;

test('a manual clock wakes sleepers in order, also those that sleep again within the span', async () => {
  const clock = manualClock(0);
  const woken: string[] = [];
  const sleepTwice = async (): Promise<void> => {
    await clock.sleep(10, { signal });
    woken.push(`first at ${clock.now()}`);
    await clock.sleep(10, { signal });
    woken.push(`second at ${clock.now()}`);
  };
  const both = Promise.all([
    sleepTwice(),
    clock.sleep(15, { signal }).then(() => woken.push(`other at ${clock.now()}`)),
  ]);
  await clock.whenSleeping(2);
  expect(clock.sleeping).toEqual([10, 15]);
  await clock.advance(9);
  expect(woken).toEqual([]);
  await clock.advance(100);
  await both;
  expect(woken).toEqual(['first at 10', 'other at 15', 'second at 20']);
  expect(clock.now()).toBe(109);
});

test('an abort ends a sleep with its reason', async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(10, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  await expect(clock.sleep(10, { signal: controller.signal })).rejects.toThrow('enough');
  expect(clock.sleeping).toEqual([]);
});

test('a recording tool gives its results in order, records calls, and writes each effect down as it begins', async () => {
  await using temporary = await temporaryBinding({ model: scriptedModel([]) });
  const file = join(temporary.folder, 'effects.jsonl');
  const tool = recordingTool({
    name: 'Charge',
    effect: 'idempotent',
    file,
    results: ['paid', new Error('declined'), (input) => `got ${JSON.stringify(input)}`],
  });
  expect(isTool(tool)).toBe(true);
  expect(tool.effect({})).toBe('idempotent');
  await expect(tool.run({ a: 1 }, context)).resolves.toEqual({ content: 'paid' });
  await expect(tool.run({ a: 2 }, context)).rejects.toThrow('declined');
  await expect(tool.run({ a: 3 }, context)).resolves.toEqual({ content: 'got {"a":3}' });
  await expect(tool.run({ a: 4 }, context)).rejects.toThrow('Charge has no result for call 4');
  expect(tool.calls.map(({ input }) => input)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }]);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe('{"tool":"Charge","callId":"c","idempotencyKey":"k","input":{"a":1}}');
});

test('a temporary binding has a folder of its own, allows its tools, and goes away', async () => {
  const tool = recordingTool({ name: 'Any' });
  const temporary = await temporaryBinding({ model: scriptedModel([]), tools: [tool], unattended: 'deny' });
  const { binding, folder } = temporary;
  expect(binding).toMatchObject({
    cwd: folder,
    unattended: 'deny',
    policy: { directories: [folder], mode: 'default' },
  });
  expect(binding.policy.sources[0]?.rules).toEqual([{ behavior: 'allow', toolName: 'Any' }]);
  await expect(binding.sandbox.exec('ls', {} as never)).rejects.toThrow('it was asked for: ls');
  await temporary[Symbol.asyncDispose]();
  expect(existsSync(folder)).toBe(false);
});
