import {
  historyMessage,
  historyReasoning,
  historySnapshot,
  historyToolCall,
  historyToolResult,
  type HistoryInput,
} from '@rondo/client';
import { type HistoryItem } from '@rondo/protocol';
import { call, say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { collect, stage, type Stage } from './session-stage.ts';
import { wires } from './wires.ts';

const text = (value: string) => ({ type: 'text' as const, text: value });

const history: readonly HistoryInput[] = [
  historyMessage({ role: 'system', content: [text('Answer in Latin.')] }),
  historyMessage({ role: 'user', content: [text('What is in the box?')] }),
  historyReasoning({ text: 'I should look.' }),
  historyMessage({ role: 'assistant', content: [text('Let me look.')] }),
  historyToolCall({ toolCallId: 'c1', name: 'look', arguments: { at: 'box' } }),
  historyToolCall({ toolCallId: 'c2', name: 'Charge', arguments: { amount: 5 } }),
  historyToolResult({ toolCallId: 'c2', name: 'Charge', error: { message: 'no money', code: 'broke' } }),
  historyToolResult({ toolCallId: 'c1', name: 'look', result: { found: ['a cat'] }, annotations: { cost: 2 } }),
  historySnapshot({ taskName: 'index', snapshotType: 'pages', value: { marker: 'never-for-the-model' } }),
  historyMessage({ role: 'assistant', content: [text('A cat.')] }),
];

/** An item without what differs from session to session. */
const plain = (item: HistoryItem): unknown => {
  if (item.type !== 'unknown') return { ...item, id: undefined, turnId: undefined };
  return { ...item, raw: { ...Object(item.raw), id: undefined } };
};

async function begun(at: Stage, given: readonly HistoryInput[]) {
  return await at.client.createSession({ bindingId: at.bindingId, history: given });
}

describe.each(wires)('over $name', (wire) => {
  test('history.entry.initialisesSession, history.entry.fiveKinds: what is given stands there in order', async () => {
    await using at = await stage(wire, []);
    const session = await begun(at, history);
    const items = await collect(session.history());
    expect(items.map((item) => (item.type === 'unknown' ? item.originalType : item.type))).toEqual([
      'message',
      'message',
      'reasoning',
      'message',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'checkpoint',
      'message',
    ]);
    expect(at.model.requests).toEqual([]);
    const sessions = await collect(at.client.listSessions());
    const wrong = [{ type: 'note', text: 'hm' }];
    await expect(begun(at, wrong)).rejects.toBeInstanceOf(TypeError);
    expect(await collect(at.client.listSessions())).toEqual(sessions);
  });

  test('history.message.meaning, history.toolCall.idSharedWithResult: the model reads who said and did what', async () => {
    await using at = await stage(wire, [say('felis')]);
    const session = await begun(at, history);
    await session.run('And its name?');
    const [request] = at.model.requests;
    expect(request?.system).toContain('Answer in Latin.');
    expect(request?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    const [first, calls, results, answer, last] = request?.messages ?? [];
    expect(first?.content).toEqual([text('What is in the box?')]);
    expect(calls?.content).toMatchObject([
      text('Let me look.'),
      { type: 'tool_call', toolCallId: 'c1', name: 'look', input: { at: 'box' } },
      { type: 'tool_call', toolCallId: 'c2', name: 'Charge', input: { amount: 5 } },
    ]);
    expect(results?.content).toMatchObject([
      { type: 'tool_result', toolCallId: 'c1', isError: false, content: [text('{"found":["a cat"]}')] },
      { type: 'tool_result', toolCallId: 'c2', isError: true, content: [text('no money')] },
    ]);
    expect(answer?.content).toEqual([text('A cat.')]);
    expect(JSON.stringify(last?.content)).toContain('And its name?');
  });

  test('history.toolCall.meaning, history.reasoning.meaning: a call runs nothing, reasoning is nobody’s message', async () => {
    await using at = await stage(wire, [say('ok')]);
    const session = await begun(at, history);
    await session.run('go on');
    expect(at.charge.calls).toEqual([]);
    const items = await collect(session.history());
    expect(items.filter((item) => item.type === 'tool_call')).toMatchObject([
      { toolCallId: 'c1', name: 'look', toolKind: 'local', arguments: { at: 'box' } },
      { toolCallId: 'c2', name: 'Charge', arguments: { amount: 5 } },
    ]);
    const said = items.filter((item) => item.type === 'message').map((item) => item.text);
    expect(said).not.toContain('I should look.');
    expect(items).toContainEqual({
      type: 'unknown',
      originalType: 'reasoning',
      raw: { id: expect.any(String), text: 'I should look.' },
    });
  });

  test('history.snapshot.notSeenByModel, history.snapshot.readsAsCheckpoint: no request holds it, the history does', async () => {
    await using at = await stage(wire, [say('ok')]);
    const session = await begun(at, history);
    await session.run('go on');
    expect(JSON.stringify(at.model.requests)).not.toContain('never-for-the-model');
    const items = await collect(session.history());
    expect(items.filter((item) => item.type === 'unknown').map((item) => item.originalType)).toContain('checkpoint');
  });

  test('history.snapshot.rawMessage, history.snapshot.rawDetails, history.snapshot.valueDefault: what it reads as', async () => {
    await using at = await stage(wire, []);
    const bare = historySnapshot({ taskName: 'a', snapshotType: 'b' });
    const session = await begun(at, [...history.slice(8, 9), bare]);
    const [full, empty] = await collect(session.history());
    expect(full).toMatchObject({ raw: { message: 'index:pages', details: { marker: 'never-for-the-model' } } });
    expect(empty).toMatchObject({ raw: { message: 'a:b', details: null } });
  });

  test('history.toolResult.resultDefault, history.toolResult.annotationsDefault: read back as given', async () => {
    await using at = await stage(wire, []);
    const values = [null, true, 7, 'x', [1], { a: null }];
    const results = values.map((result) =>
      historyToolResult({ toolCallId: 'c', result, annotations: { kept: [result] } }),
    );
    const session = await begun(at, [...results, historyToolResult({ toolCallId: 'c' })]);
    const items = await collect(session.history());
    expect(items.slice(0, -1).map((item) => item.type === 'tool_result' && item.result)).toEqual(values);
    expect(items[2]).toMatchObject({ annotations: { kept: [7] } });
    expect(items.at(-1)).toMatchObject({ result: null, error: null, name: null, annotations: {} });
  });

  test('history.toolResult.bothRefused: in every form, and no session is left', async () => {
    await using at = await stage(wire, []);
    const both = { result: 1, error: { message: 'm' } };
    for (const entry of [
      { type: 'tool_result', toolCallId: 'c', ...both },
      { type: 'tool_result', tool_call_id: 'c', ...both },
      { ...historyToolResult({ toolCallId: 'c', result: 1 }), error: { message: 'm' } },
    ]) {
      await expect(begun(at, [entry])).rejects.toThrow(/both result and error/);
      const raw = { bindingId: at.bindingId, history: [entry] };
      await expect(Reflect.apply(at.client.request, undefined, ['session/create', raw])).rejects.toMatchObject({
        code: 'protocol.params_invalid',
      });
    }
    expect(await collect(at.client.listSessions())).toEqual([]);
  });

  test('a fork has the imported history too, and a turn’s own in the same form', async () => {
    const calls = call('Charge', { amount: 3 });
    await using at = await stage(wire, [calls, say('done'), say('again')]);
    const session = await begun(at, history.slice(0, 2));
    const blocked = await session.run('charge it');
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const [question] = blocked.callbacks;
    if (question?.type !== 'approval') throw new Error('nobody asks');
    await at.client.request('callback/answer', {
      sessionId: session.id,
      callbackId: question.id,
      answer: { type: 'allow', updatedInput: { amount: 2 } },
    });
    await session.turn(blocked.turnId).result({ after: blocked });
    const items = await collect(session.history());
    expect(items.map(plain)).toMatchObject([
      { type: 'message', role: 'system', text: 'Answer in Latin.' },
      { type: 'message', role: 'user', text: 'What is in the box?' },
      { type: 'message', role: 'user', text: 'charge it' },
      { type: 'tool_call', name: 'Charge', arguments: { amount: 2 } },
      { type: 'tool_result', name: 'Charge', error: null },
      { type: 'message', role: 'assistant', text: 'done' },
    ]);
    const pages: HistoryItem[] = [];
    let after: string | undefined;
    for (let more = true; more; ) {
      const params = { sessionId: session.id, limit: 1, ...(after === undefined ? {} : { after }) };
      const page = await at.client.request('history/list', params);
      pages.push(...page.items);
      ({ more, cursor: after } = page);
    }
    expect(pages).toEqual(items);
    const fork = await at.client.forkSession(session.id, { bindingId: at.bindingId });
    expect((await collect(fork.history())).map(plain)).toEqual(items.map(plain));
    await fork.run('once more');
    expect(at.model.requests.at(-1)?.system).toContain('Answer in Latin.');
  });

  test('turns are listed, the last one first, page by page', async () => {
    await using at = await stage(wire, [say('one'), say('two'), say('three')]);
    const session = await begun(at, []);
    const ids: string[] = [];
    for (const word of ['a', 'b', 'c']) {
      const record = await session.run(word);
      if (record.type !== 'completed') throw new Error(`it is ${record.type}`);
      ids.unshift(record.turnId);
    }
    const turns = await collect(session.turns());
    expect(turns.map(({ turnId }) => turnId)).toEqual(ids);
    expect(turns[0]).toMatchObject({ status: 'completed', text: 'three', endedAt: expect.any(String) });
    const first = await at.client.request('turn/list', { sessionId: session.id, limit: 2 });
    expect(first).toEqual({ turns: turns.slice(0, 2), next: ids[1] });
    const rest = await at.client.request('turn/list', { sessionId: session.id, limit: 2, before: ids[1] });
    expect(rest).toEqual({ turns: turns.slice(2) });
    const nowhere = at.client.request('turn/list', { sessionId: session.id, before: 'x' });
    await expect(nowhere).rejects.toMatchObject({ code: 'turn.not_found' });
  });
});
