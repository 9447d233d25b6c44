import fc from 'fast-check';
import type { AnyEvent, HistoryItem } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { readHistory } from './history-reading.ts';

type Draft = { readonly type: string } & Record<string, unknown>;

/** A log of drafts, in their order. */
function logOf(drafts: readonly Draft[]): AnyEvent[] {
  return drafts.map(
    (draft, index) =>
      ({ seq: index + 1, id: `s:${index + 1}`, at: '', sessionId: 's', ...draft }) as unknown as AnyEvent,
  );
}

async function* after(events: readonly AnyEvent[], seq: number): AsyncGenerator<AnyEvent, void> {
  await Promise.resolve();
  yield* events.filter((event) => event.seq > seq);
}

async function pageAfter(events: readonly AnyEvent[], cursor: string, limit: number) {
  const seq = Number(cursor.slice(2));
  return await readHistory({ sessionId: 's', events: after(events, seq), cursor, limit });
}

async function inPages(events: readonly AnyEvent[], limit: number): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  let cursor = 's:0';
  for (;;) {
    const page = await pageAfter(events, cursor, limit);
    items.push(...page.items);
    if (!page.more) return items;
    expect(page.items.length).toBeGreaterThanOrEqual(limit);
    ({ cursor } = page);
  }
}

const turnId = 't';
const reply = (id: string, ...content: Record<string, unknown>[]): Draft => ({
  type: 'entry.completed',
  turnId,
  entry: { type: 'assistant', id, model: 'm', content },
});
const callBlock = (toolCallId: string): Record<string, unknown> => ({
  type: 'tool_call',
  toolCallId,
  name: 'look',
  input: { asked: toolCallId },
});
const about = (type: string, callId: string, facts: Record<string, unknown> = {}): Draft => ({
  type,
  turnId,
  callId,
  toolCallId: 'c',
  name: 'look',
  ...facts,
});
const completed = (callId: string): Draft =>
  about('tool.completed', callId, { isError: false, outcome: 'success', content: [{ type: 'text', text: callId }] });

describe('a page of history', () => {
  test('shows a call with what was used of it, and where its tool comes from', async () => {
    const events = logOf([
      reply('a', { type: 'text', text: 'I look' }, callBlock('x'), callBlock('y')),
      about('tool.requested', 'a#1', { toolKind: 'mcp' }),
      about('tool.decided', 'a#1', { decision: 'allow', input: { asked: 'other' } }),
      completed('a#2'),
      completed('a#1'),
    ]);
    const { items, more, cursor } = await pageAfter(events, 's:0', 1);
    expect(items).toMatchObject([
      { type: 'message', role: 'assistant', text: 'I look', turnId },
      { type: 'tool_call', id: 'a#1', toolKind: 'mcp', arguments: { asked: 'other' } },
      { type: 'tool_call', id: 'a#2', toolKind: 'local', arguments: { asked: 'y' } },
      { type: 'tool_result', id: 'a#2:result', result: 'a#2', error: null },
      { type: 'tool_result', id: 'a#1:result', result: 'a#1' },
    ]);
    expect({ more, cursor }).toEqual({ more: false, cursor: 's:5' });
  });

  test('leaves out what was taken back', async () => {
    const events = logOf([
      reply('a', { type: 'text', text: 'no' }, callBlock('x')),
      { type: 'entry.discarded', turnId, entryId: 'a', reason: 'rejected' },
      reply('b', { type: 'text', text: 'yes' }),
    ]);
    expect(await inPages(events, 1)).toMatchObject([{ text: 'yes' }]);
  });

  test('keeps thoughts, and what only a provider understands, as unknown items in their places', async () => {
    const events = logOf([
      reply(
        'a',
        { type: 'reasoning', text: 'hm', signature: 's' },
        { type: 'text', text: 'one' },
        { type: 'opaque', provider: 'p', raw: { type: 'search' } },
        { type: 'text', text: 'two', providerData: { own: 1 } },
      ),
    ]);
    expect(await inPages(events, 9)).toEqual([
      { type: 'unknown', originalType: 'reasoning', raw: { id: 'a#0', text: 'hm' } },
      { type: 'message', id: 'a', turnId, role: 'assistant', text: 'one', content: [{ type: 'text', text: 'one' }] },
      { type: 'unknown', originalType: 'opaque', raw: { id: 'a#2', provider: 'p', raw: { type: 'search' } } },
      { type: 'message', id: 'a~1', turnId, role: 'assistant', text: 'two', content: [{ type: 'text', text: 'two' }] },
    ]);
  });

  test('does not end before what was said may no longer be taken back', async () => {
    const asked = (id: string): Draft => ({
      type: 'entry.completed',
      turnId,
      entry: { type: 'message', id, role: 'user', content: [{ type: 'text', text: id }] },
    });
    const events = logOf([
      { type: 'turn.started', turnId },
      asked('secret'),
      asked('other'),
      { type: 'entry.discarded', turnId, entryId: 'secret', reason: 'hook_replaced' },
      { type: 'entry.discarded', turnId, entryId: 'other', reason: 'hook_replaced' },
      asked('clean'),
      { type: 'model.requested', turnId },
      reply('a', { type: 'text', text: 'so' }),
      { type: 'turn.ended', turnId },
    ]);
    for (const limit of [1, 2, 3])
      expect((await inPages(events, limit)).map((item) => 'text' in item && item.text)).toEqual(['clean', 'so']);
  });

  test('of any size, one after the other, is the whole history once', async () => {
    const step = fc.record({
      calls: fc.integer({ min: 0, max: 4 }),
      text: fc.boolean(),
      unanswered: fc.boolean(),
      takenBack: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), async (steps, limit) => {
        const drafts: Draft[] = [];
        for (const [index, { calls, text, unanswered, takenBack }] of steps.entries()) {
          const id = `e${index}`;
          const blocks = Array.from({ length: calls }, (_, at) => callBlock(`${id}-${at}`));
          drafts.push({ type: 'turn.started', turnId });
          drafts.push(reply(id, ...(text ? [{ type: 'text', text: id }] : []), ...blocks));
          if (takenBack) drafts.push({ type: 'entry.discarded', turnId, entryId: id, reason: 'x' });
          else if (!unanswered) {
            for (const at of blocks.keys()) drafts.push(completed(`${id}#${at + (text ? 1 : 0)}`));
          }
          drafts.push({ type: 'turn.ended', turnId });
        }
        const events = logOf(drafts);
        const whole = await pageAfter(events, 's:0', 1_000);
        expect(await inPages(events, limit)).toEqual(whole.items);
        expect(new Set(whole.items.map((item) => JSON.stringify(item))).size).toBe(whole.items.length);
      }),
    );
  });
});
