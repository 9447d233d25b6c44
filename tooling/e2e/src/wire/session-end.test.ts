import type { HookCallbackMatcher } from '@rondo/sdk';
import { expect, inject, test, vi } from 'vitest';
import { play, type Way } from './play.ts';
import { one, type OneQuery, type Stage } from './scenario.ts';

// Each plays in processes of its own; a loaded machine takes its time with them.
vi.setConfig({ testTimeout: 120_000 });

const hears = (stage: Stage): HookCallbackMatcher => ({
  hooks: [
    async (input) => {
      stage.note(input.hook_event_name, 'reason' in input ? input.reason : '');
      return {};
    },
  ],
});

const ended = (prompt: OneQuery['prompt'], more: Partial<OneQuery> = {}) =>
  one({
    name: 'hooks that hear of the end',
    steps: [{ text: 'Done.' }],
    options: (stage) => ({ hooks: { Stop: [hears(stage)], SessionEnd: [hears(stage)] } }),
    prompt,
    expect: {},
    ...more,
  });

const said = [{ say: 'go' }, { until: { type: 'result' } }];

/** The seed's client closes its input before the session ends, so that nobody can answer what is asked then. */
test.each<[Way, string, OneQuery['prompt'], readonly string[]]>([
  ['in process', 'one text', 'go', ['Stop', 'SessionEnd']],
  ['in process', 'a stream', said, ['Stop', 'SessionEnd']],
  ['by the SDK’s client', 'one text', 'go', ['Stop', 'SessionEnd']],
  ['by the SDK’s client', 'a stream', said, ['Stop', 'SessionEnd']],
  ['over the wire', 'one text', 'go', ['Stop']],
  ['over the wire', 'a stream', said, ['Stop']],
])('%s, after %s, hooks of the end are asked where they can answer', async (way, _what, prompt, events) => {
  const command = inject('builtCommand');
  const { outcomes } = await play(ended(prompt), way, command);
  const [outcome] = outcomes;
  expect(outcome?.asked.map(([event]) => event)).toEqual(events);
  expect(outcome?.error).toBeUndefined();
  // That nobody heard is no fault of the session's, and nothing is printed for it.
  const { outcomes: inProcess } = await play(ended(prompt), 'in process', command);
  expect(outcome?.lines).toEqual(inProcess[0]?.lines);
});
