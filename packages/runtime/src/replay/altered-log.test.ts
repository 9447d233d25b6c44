import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { continueWith, skip } from '../hook/hook-decision.ts';
import { call, say, scriptedModel } from '../testing/index.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { sessionScene, type Scene } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { replaySession } from './replay-session.ts';

const look = recordingTool({ name: 'look', effect: 'none' });
const write = recordingTool({ name: 'write', effect: 'once' });
const burn = recordingTool({ name: 'burn', effect: 'once' });

/** A session with a bit of everything: calls at once, denied, asked, rewritten, hooks, two turns. */
async function recordedScene(): Promise<Scene> {
  const scene = await sessionScene({
    model: scriptedModel([
      [say('I look.'), call('look', { at: 'a' }, 'c1'), call('look', { at: 'b' }, 'c2')],
      [call('burn', { what: 'it' }, 'c3'), call('write', { to: 'x' }, 'c4')],
      [call('look', { at: 'hooked' }, 'c5'), call('look', { at: 'stopped' }, 'c6')],
      say('done'),
      say('bye'),
    ]),
    tools: [look, write, burn],
    allowed: ['look'],
    binding: {
      unattended: 'wait',
      asker: {
        name: 'person',
        ask: ({ request }) =>
          Promise.resolve(
            request.tool.name === 'write'
              ? { type: 'allow', scope: 'once', updatedInput: { to: 'y' } }
              : { type: 'deny', message: 'not that' },
          ),
      },
      hooks: [
        {
          name: 'warden',
          preToolCall: (_context, { arguments: input }) => {
            if (input['at'] === 'stopped') return skip('stay here');
            return input['at'] === 'hooked' ? continueWith({ arguments: { at: 'elsewhere' } }) : undefined;
          },
        },
      ],
    },
  });
  await scene.run('go');
  await scene.run('and now');
  return scene;
}

const scene = await recordedScene();
const events = await scene.events();

async function replayOf(altered: readonly AnyEvent[], options: { readonly bound?: boolean } = {}) {
  const readBlob = (hash: string) => scene.store.blobs(scene.sessionId).read(hash);
  const binding = options.bound === true ? { binding: scene.binding } : {};
  return await replaySession({ sessionId: scene.sessionId, events: altered, readBlob, sha256, ...binding });
}

/** A copy of the log in which one event is another. */
function altered(find: (event: SessionEvent) => boolean, change: (event: SessionEvent) => object) {
  const place = events.findIndex((event) => event.type !== 'unknown' && find(event));
  const found = events[place];
  if (found === undefined || found.type === 'unknown') throw new Error('there is no such event');
  return { seq: found.seq, log: events.with(place, { ...found, ...change(found) } as SessionEvent) };
}

const ofCall = (type: SessionEvent['type'], toolCallId: string) => (event: SessionEvent) =>
  event.type === type && 'toolCallId' in event && event.toolCallId === toolCallId;

const hookOf = (toolCallId: string) => {
  const called = events.find((event) => event.type === 'tool.requested' && event.toolCallId === toolCallId);
  const callId = called?.type === 'tool.requested' ? called.callId : '';
  return (event: SessionEvent) => event.type === 'hook.completed' && event.callId === callId;
};

const replyWith = (text: string) => (event: SessionEvent) =>
  event.type === 'entry.completed' && event.entry.type === 'assistant' && JSON.stringify(event.entry).includes(text);

const text = (words: string) => [{ type: 'text', text: words }];

interface Alteration {
  readonly name: string;
  readonly find: (event: SessionEvent) => boolean;
  readonly change: (event: SessionEvent) => object;
}

const alterations: readonly Alteration[] = [
  { name: 'a result', find: ofCall('tool.completed', 'c2'), change: () => ({ content: text('another') }) },
  {
    name: 'the first of two results',
    find: ofCall('tool.completed', 'c1'),
    change: () => ({ content: text('other') }),
  },
  {
    name: 'whether a call failed',
    find: ofCall('tool.completed', 'c4'),
    change: () => ({ isError: true }),
  },
  { name: 'a call that was allowed', find: ofCall('tool.decided', 'c1'), change: () => ({ decision: 'deny' }) },
  { name: 'a call that was denied', find: ofCall('tool.decided', 'c3'), change: () => ({ decision: 'allow' }) },
  {
    name: 'arguments that were decided on',
    find: ofCall('tool.decided', 'c4'),
    change: () => ({ input: { to: 'z' } }),
  },
  {
    name: 'an answer',
    find: (event) => event.type === 'callback.resolved' && event.answer?.type === 'allow',
    change: () => ({ answer: { type: 'deny' } }),
  },
  { name: 'a hook that stopped a call', find: hookOf('c6'), change: () => ({ outcome: { type: 'continue' } }) },
  {
    name: 'a hook that let a call pass',
    find: hookOf('c1'),
    change: () => ({ outcome: { type: 'skip', reason: 'no' } }),
  },
  {
    name: 'arguments that a hook put in place',
    find: hookOf('c5'),
    change: () => ({ outcome: { type: 'continue', arguments: { at: 'nowhere' } } }),
  },
  {
    name: 'a reply with calls',
    find: replyWith('I look.'),
    change: (event) => ({
      entry: JSON.parse(JSON.stringify('entry' in event && event.entry).replace('I look.', 'I see.')) as object,
    }),
  },
  {
    name: 'the last reply of all',
    find: replyWith('bye'),
    change: (event) => ({
      entry: JSON.parse(JSON.stringify('entry' in event && event.entry).replace('bye', 'hello')) as object,
    }),
  },
  {
    name: 'what the person said',
    find: (event) => event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user',
    change: (event) => ({ entry: { ...('entry' in event ? event.entry : {}), content: text('stop') } }),
  },
  {
    name: 'the hash of a request',
    find: (event) => event.type === 'model.requested',
    change: () => ({ requestHash: 'f'.repeat(64) }),
  },
  {
    name: 'the record of a turn',
    find: (event) => event.type === 'turn.ended',
    change: (event) => ({ record: { ...('record' in event ? event.record : {}), stopReason: 'max_tokens' } }),
  },
];

describe('issue 4, accept 9', () => {
  test('the session replays as it was recorded, with its agent and without', async () => {
    expect(await replayOf(events)).toMatchObject({ turns: 2, requests: 5, changes: [] });
    expect((await replayOf(events)).divergence).toBeUndefined();
    expect((await replayOf(events, { bound: true })).divergence).toBeUndefined();
  });

  test.each(alterations)('another log is told from it, at its event: $name', async ({ find, change }) => {
    const { seq, log } = altered(find, change);
    expect((await replayOf(log)).divergence).toMatchObject({ seq });
    expect((await replayOf(log, { bound: true })).divergence).toMatchObject({ seq });
  });

  test('another agent is told from it at the first request, by what is another', async () => {
    const { sessionId, binding } = scene;
    const readBlob = (hash: string) => scene.store.blobs(sessionId).read(hash);
    const first = events.find((event) => event.type === 'model.requested')?.seq;
    for (const [change, path] of [
      [{ system: 'You are another.' }, 'parts.system'],
      [{ tools: [look, write] }, 'parts.tools'],
      [{ effort: 'low' }, 'parts.effort'],
    ] as const) {
      const replayed = await replaySession({ sessionId, events, readBlob, sha256, binding: { ...binding, ...change } });
      expect(replayed.divergence).toMatchObject({ seq: first, path });
    }
  });

  test('a log that ends anywhere replays to its end', async () => {
    for (let length = 1; length < events.length; length += 1)
      expect([length, (await replayOf(events.slice(0, length))).divergence]).toEqual([length, undefined]);
  });

  test('a log of a version without hashes replays, and says so', async () => {
    const old = events.map((event) => {
      if (event.type !== 'model.requested') return event;
      const { requestHash: _hash, parts: _parts, ...rest } = event;
      return rest;
    });
    const { divergence, notes } = await replayOf(old);
    expect(divergence).toBeUndefined();
    expect(notes.join()).toContain('without their hash');
  });
});
