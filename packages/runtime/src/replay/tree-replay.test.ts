import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { depthOf } from '../event/session-tree-id.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { storeAfterCrash } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { agentOf, treeScene, type TreeScene } from '../testing/tree-scene.ts';
import { replaySession } from './replay-session.ts';

const spawn = (agent: string) => call('agents.spawn', { agent, task: `work, ${agent}` });
const act = recordingTool({ name: 'act', effect: 'idempotent' });

/** Three levels, the lowest of which asks whether its call may run. */
async function asking() {
  const deep = agentOf({ name: 'deep', model: scriptedModel([call('act', { n: 1 }), say('deep done')]) });
  const scene = await treeScene({
    model: scriptedModel([spawn('middle'), say('root done')]),
    agents: [{ name: 'middle', model: scriptedModel([spawn('deep'), say('middle done')]), subagents: [deep] }],
    tools: [act],
    allowed: ['agents.spawn'],
  });
  const turnId = await scene.start('go');
  const opened = await scene.untilInTree(({ type }) => type === 'callback.opened');
  if (opened.type !== 'callback.opened' || opened.callback.type === 'unknown') throw new Error('nothing is asked');
  return { scene, turnId, callbackId: opened.callback.id };
}

async function answered() {
  const { scene, turnId, callbackId } = await asking();
  const { sessionId } = scene;
  await scene.runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow', scope: 'once' } });
  expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'root done' });
  return scene;
}

/** Where it goes another way, without its agent and with it. */
async function replays({ sessionId, store, binding }: TreeScene, events: readonly AnyEvent[]) {
  const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
  const alone = await replaySession({ sessionId, events, readBlob, sha256 });
  const bound = await replaySession({ sessionId, events, readBlob, sha256, binding });
  return [alone.divergence, bound.divergence];
}

const isDeep = (event: AnyEvent): boolean => depthOf(event.sessionId) === 2;

describe('issue 4, accept 9: subagents three levels deep, with a question', () => {
  test('replay as they were recorded', async () => {
    const scene = await answered();
    const events = await scene.events();
    expect(events.some(isDeep)).toBe(true);
    expect(await replays(scene, events)).toEqual([undefined, undefined]);
  });

  test('replay up to wherever the log ends', async () => {
    const scene = await answered();
    const events = await scene.events();
    for (let length = 1; length < events.length; length += 1)
      expect([length, ...(await replays(scene, events.slice(0, length)))]).toEqual([length, undefined, undefined]);
  });

  test('replay where they were cancelled while the question was open', async () => {
    const { scene } = await asking();
    await scene.runtime.cancelSession({ sessionId: scene.sessionId });
    expect(await replays(scene, await scene.events())).toEqual([undefined, undefined]);
  });

  test('replay where their process died with the question open, and another one settled them', async () => {
    const { scene } = await asking();
    const store = await storeAfterCrash(scene.store, scene.sessionId);
    const { model, subagents = [] } = scene.binding;
    const agents = subagents.map((agent) => ({ ...agent, model: agent.model ?? model }));
    const options = { model, agents, tools: [act], allowed: ['agents.spawn'], store };
    const after = await treeScene(options, scene.sessionId);
    const { sessionId, bindingId } = after;
    await after.runtime.openSession({ sessionId, bindingId, unfinished: 'settle' });
    expect(await replays(after, await after.events())).toEqual([undefined, undefined]);
  });

  const alterations: readonly [string, SessionEvent['type'], (event: SessionEvent) => object][] = [
    ['a result', 'tool.completed', () => ({ content: [{ type: 'text', text: 'another' }] })],
    ['a decision', 'tool.decided', () => ({ decision: 'deny' })],
    ['an answer', 'callback.resolved', () => ({ answer: { type: 'deny' } })],
  ];
  test.each(alterations)('are told from another log at its event, in its session: %s', async (_name, type, change) => {
    const scene = await answered();
    const events = await scene.events();
    const place = events.findIndex((event) => event.type === type && isDeep(event));
    const found = events[place];
    if (found === undefined || found.type === 'unknown') throw new Error('there is no such event');
    const altered = events.with(place, { ...found, ...change(found) } as SessionEvent);
    const expected = { seq: found.seq, sessionId: found.sessionId };
    expect(await replays(scene, altered)).toMatchObject([expected, expected]);
  });
});
