import assert from 'node:assert/strict';
import type { AnyEvent } from '@rondo/protocol';
import { createAnthropicModel } from '@rondo/providers/anthropic';
import { mute, reply, reset, startModelServer, status, type Step, type StreamFault } from '@rondo/providers/testing';
import { createMemoryStore, systemClock } from '@rondo/runtime';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertEffects, assertEveryCallHasOneResult } from '../story/assert-story.ts';
import { createStoryEngine, sessionId } from '../story/story-engine.ts';
import { storyEnd, storyPrompt } from '../story/story-script.ts';
import { wireReplies, wireReply } from '../story/wire-story.ts';
import { createWorld, countEffects } from '../story/world.ts';

/** More events than any reply of the story has. */
const mostEvents = 26;
const doneOnce = ['charge 1', 'put 1', 'patch 1', 'charge 2'];

/** One request of the story goes wrong in every way a server or a network can, at every event of its reply. */
export const modelFaults: ChaosFamily = {
  name: 'model faults',
  atOnce: 8,
  cases: async () => Array.from({ length: wireReplies }, (_, request) => faultsOf(request)).flat(),
};

type Faulty = (answer: Extract<Step, readonly unknown[]>) => Step;

function faultsOf(request: number): ChaosCase[] {
  const whole: (readonly [string, Faulty])[] = [429, 500, 529].map((code) => [`status ${code}`, () => status(code)]);
  whole.push(['a reset connection', reset], ['no headers', mute]);
  const inStream = streamFaults().map(([name, fault]): readonly [string, Faulty] => [
    name,
    (answer) => reply(answer, { fault }),
  ]);
  return [...whole, ...inStream].map(([name, faulty]) => ({
    name: `request ${request}: ${name}`,
    run: () => liveWithFault(request, faulty),
  }));
}

function streamFaults(): (readonly [string, StreamFault])[] {
  const faults: (readonly [string, StreamFault])[] = [
    ['cut behind the headers', { type: 'cut', after: 'headers', how: 'close' }],
  ];
  for (let event = 0; event < mostEvents; event += 1) {
    const after = { events: event };
    for (const how of ['close', 'reset', 'end'] as const) {
      faults.push([`cut (${how}) behind event ${event}`, { type: 'cut', after, how }]);
    }
    faults.push([`half of event ${event}`, { type: 'cut', after: { halfEvent: event }, how: 'close' }]);
    faults.push([`event ${event} is no JSON`, { type: 'bad_json', event }]);
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    faults.push([`an error behind event ${event}`, { type: 'error', after, error }]);
    faults.push([`silence behind event ${event}`, { type: 'silence', after }]);
  }
  return faults;
}

async function liveWithFault(request: number, faulty: Faulty): Promise<void> {
  await using server = await startModelServer({
    script: (asked) => (asked.index === request ? faulty(wireReply(asked)) : wireReply(asked)),
  });
  const world = createWorld();
  const store = createMemoryStore();
  const model = createAnthropicModel({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-chaos',
    baseUrl: server.url,
    timeouts: { headersMs: 500, idleMs: 500 },
  });
  const engine = createStoryEngine({ store, world, generation: 1, model, clock: systemClock });
  await engine.runtime.createSession({ bindingId: engine.bindingId, sessionId });
  const events: AnyEvent[] = [];
  const watching = engine.watch({ shown: (event) => void events.push(event), signal: new AbortController().signal });
  const turnId = await engine.start(storyPrompt);
  await watching;
  const record = await engine.record(turnId);
  assert.deepEqual([record.type, record.text], ['completed', storyEnd], `the turn ended so: ${JSON.stringify(record)}`);
  assertEveryCallHasOneResult(events);
  assertEffects(events, world);
  assert.deepEqual(
    doneOnce.map((what) => countEffects(world, what)),
    [1, 1, 1, 1],
  );
  await engine.runtime.close();
}
