import { startModelServer, text } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

const off = ['--settings', '{"alwaysThinkingEnabled":false}'];

test.each<[string, readonly string[], object | undefined]>([
  ['claude-opus-4-8', [], { type: 'adaptive' }],
  ['claude-sonnet-5-5', [], { type: 'adaptive' }],
  ['claude-opus-7', [], { type: 'adaptive' }],
  ['claude-haiku-4-5', [], undefined],
  ['house-model', [], undefined],
  ['claude-opus-4-8', off, { type: 'disabled' }],
  ['claude-opus-4-8', ['--thinking', 'disabled'], { type: 'disabled' }],
  ['claude-opus-4-8', ['--max-thinking-tokens', '0'], { type: 'disabled' }],
  ['claude-opus-4-8', [...off, '--thinking', 'adaptive'], { type: 'adaptive' }],
])('%s is asked to think as the command was told: %j', async (model, more, thinking) => {
  await using server = await startModelServer({ script: [text('Done.')] });
  const { exitCode } = await runCommand({
    place,
    server,
    args: ['-p', 'hello', '--model', `anthropic/${model}`, ...more],
  });
  expect(exitCode).toBe(0);
  const bodies = server.requests.map(({ body }) => body as { readonly thinking?: object });
  expect(bodies.map((body) => body.thinking)).toEqual([thinking]);
});
