import { HistoryImportEntry, methods } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import {
  historyEntries,
  type HistoryInput,
  historyMessage,
  historyReasoning,
  historySnapshot,
  historyToolCall,
  historyToolResult,
} from './history-import.ts';

/** Each kind: made, plain in camelCase, plain in snake_case. */
const forms: Readonly<Record<HistoryImportEntry['type'], readonly [HistoryInput, HistoryInput, HistoryInput]>> = {
  message: [
    historyMessage({ role: 'user', content: [{ type: 'text', text: 'hi' }] }),
    { type: 'message', role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { type: 'message', role: 'user', content: [{ type: 'text', text: 'hi' }] },
  ],
  reasoning: [historyReasoning({ text: 'hm' }), { type: 'reasoning', text: 'hm' }, { type: 'reasoning', text: 'hm' }],
  tool_call: [
    historyToolCall({ toolCallId: 'c', toolKind: 'mcp', name: 'look', arguments: { at: [1] } }),
    { type: 'tool_call', toolCallId: 'c', toolKind: 'mcp', name: 'look', arguments: { at: [1] } },
    { type: 'tool_call', tool_call_id: 'c', tool_kind: 'mcp', name: 'look', arguments: { at: [1] } },
  ],
  tool_result: [
    historyToolResult({ toolCallId: 'c', name: 'look', result: { seen: true }, annotations: { cost: 2 } }),
    { type: 'tool_result', toolCallId: 'c', name: 'look', result: { seen: true }, annotations: { cost: 2 } },
    { type: 'tool_result', tool_call_id: 'c', name: 'look', result: { seen: true }, annotations: { cost: 2 } },
  ],
  snapshot: [
    historySnapshot({ taskName: 'a', snapshotType: 'b', value: [null] }),
    { type: 'snapshot', taskName: 'a', snapshotType: 'b', value: [null] },
    { type: 'snapshot', task_name: 'a', snapshot_type: 'b', value: [null] },
  ],
};

const readOne = (entry: HistoryInput) => historyEntries([entry])[0];
const refused = (entry: Record<string, unknown>) => expect(() => historyEntries([entry]));

describe('an entry', () => {
  test.each(Object.entries(forms))(
    'history.entry.typedOrPlain, history.entry.snakeCase, history.entry.camelCase: %s in its three forms is the same',
    (_type, [made, camel, snake]) => {
      expect(readOne(camel)).toEqual(made);
      expect(readOne(snake)).toEqual(made);
      expect(readOne(made)).toEqual(made);
    },
  );

  test.each(Object.values(forms).map(([made]) => made))('is what the wire takes: $type', (made) => {
    expect(HistoryImportEntry.parse(JSON.parse(JSON.stringify(made)))).toEqual(made);
    const params = { bindingId: 'b', history: historyEntries([made]) };
    expect(methods['session/create'].params.safeParse(params).success).toBe(true);
  });

  test('history.entry.typeRequiredInPlain: a type that is missing or spelled otherwise is refused', () => {
    refused({ role: 'user' }).toThrow(/history\.0\.type is missing/);
    refused({ type: 'toolCall', toolCallId: 'c', name: 'n' }).toThrow(/"toolCall".*tool_call/);
    refused({ type: 'checkpoint' }).toThrow(TypeError);
    refused({ type: 'toString' }).toThrow(TypeError);
  });

  test('what JSON cannot carry is refused where it stands', () => {
    refused({ type: 'snapshot', taskName: 'a', snapshotType: 'b', value: { at: 1n } }).toThrow(/history\.0\.value\.at/);
    expect(() => Reflect.apply(historyEntries, undefined, ['hi'])).toThrow(/array/);
    expect(() => Reflect.apply(historyEntries, undefined, [[null]])).toThrow(/history\.0/);
  });

  test('a made entry keeps nothing of what the caller does to its value later', () => {
    const value = { at: [1] };
    const made = historySnapshot({ taskName: 'a', snapshotType: 'b', value });
    value.at.push(2);
    expect(made.value).toEqual({ at: [1] });
    expect(Object.isFrozen(made)).toBe(true);
  });
});

describe('a message', () => {
  test('history.message.role: user, assistant or system', () => {
    refused({ type: 'message' }).toThrow(/role is missing/);
    refused({ type: 'message', role: 'tool' }).toThrow(/"tool".*system, user, assistant/);
    for (const role of ['user', 'assistant', 'system'] as const) expect(historyMessage({ role }).role).toBe(role);
  });

  test('history.message.contentDefault, history.message.type: no content is an empty one', () => {
    expect(historyMessage({ role: 'user' })).toEqual({ type: 'message', role: 'user', content: [] });
    expect(() => historyMessage({ role: 'user', type: 'reasoning' } as never)).toThrow(/always "message"/);
  });

  test('history.message.systemTextOnly: a system message takes text blocks only', () => {
    const text = { type: 'text', text: 'be brief' } as const;
    expect(historyMessage({ role: 'system', content: [text, text] }).content).toEqual([text, text]);
    for (const block of [
      { type: 'image', uri: 'data:image/png;base64,AAAA' },
      { type: 'audio', uri: 'a' },
      { type: 'resource_link', uri: 'a' },
      { type: 'embedded_resource', uri: 'a', text: 't' },
    ] as const) {
      expect(() => historyMessage({ role: 'system', content: [text, block] })).toThrow(/content\.1.*text only/);
      expect(HistoryImportEntry.safeParse({ type: 'message', role: 'system', content: [block] }).success).toBe(false);
    }
  });

  test('history.message.assistantNoEmbedded: an assistant message takes no embedded resource, a user’s does', () => {
    const embedded = { type: 'embedded_resource', uri: 'a', text: 't' } as const;
    const image = { type: 'image', uri: 'data:image/png;base64,AAAA' } as const;
    expect(() => historyMessage({ role: 'assistant', content: [embedded] })).toThrow(/embedded resource/);
    expect(HistoryImportEntry.safeParse({ type: 'message', role: 'assistant', content: [embedded] }).success).toBe(
      false,
    );
    expect(historyMessage({ role: 'assistant', content: [image] }).content).toEqual([image]);
    expect(historyMessage({ role: 'user', content: [embedded] }).content).toEqual([embedded]);
  });

  test('an unknown block is refused', () => {
    refused({ type: 'message', role: 'user', content: [{ type: 'hologram' }] }).toThrow(/history\.0\.content\.0\.type/);
  });
});

describe('reasoning', () => {
  test('history.reasoning.text, history.reasoning.type: a text, always', () => {
    refused({ type: 'reasoning' }).toThrow(/history\.0\.text must be a string/);
    expect(historyReasoning({ text: 'hm' }).type).toBe('reasoning');
  });
});

describe('a call', () => {
  test('history.toolCall.toolCallIdRequired, history.toolCall.nameRequired, history.toolCall.type: its ID and name', () => {
    refused({ type: 'tool_call', name: 'look' }).toThrow(/toolCallId must be a string/);
    refused({ type: 'tool_call', toolCallId: 'c' }).toThrow(/name must be a string/);
    expect(historyToolCall({ toolCallId: 'c', name: 'look' }).type).toBe('tool_call');
  });

  test('history.toolCall.toolKindValues, history.toolCall.toolKindDefault: six kinds, local by default', () => {
    expect(historyToolCall({ toolCallId: 'c', name: 'n' }).toolKind).toBe('local');
    for (const toolKind of ['builtin', 'local', 'mcp', 'client', 'plugin', 'connector'] as const)
      expect(historyToolCall({ toolCallId: 'c', name: 'n', toolKind }).toolKind).toBe(toolKind);
    refused({ type: 'tool_call', toolCallId: 'c', name: 'n', toolKind: 'remote' }).toThrow(/"remote"/);
  });

  test('history.toolCall.argumentsDefault: any JSON value, null by default', () => {
    expect(historyToolCall({ toolCallId: 'c', name: 'n' }).arguments).toBeNull();
    for (const given of [{ a: 1 }, [1], 'x', 7, false]) {
      expect(historyToolCall({ toolCallId: 'c', name: 'n', arguments: given }).arguments).toEqual(given);
    }
    for (const wrong of [() => 1, 1n])
      refused({ type: 'tool_call', toolCallId: 'c', name: 'n', arguments: wrong }).toThrow(/arguments/);
  });
});

describe('a result', () => {
  const error = { message: 'no such file', code: 'gone' };

  test('history.toolResult.resultXorError, history.toolResult.type: one of the two', () => {
    expect(historyToolResult({ toolCallId: 'c', result: 1 })).toMatchObject({
      type: 'tool_result',
      result: 1,
      error: null,
    });
    expect(historyToolResult({ toolCallId: 'c', error })).toMatchObject({ result: null, error });
    expect(historyToolResult({ toolCallId: 'c', error, result: null })).toMatchObject({ result: null, error });
    expect(() => historyToolResult({ toolCallId: 'c', error, result: 1 })).toThrow(/both result and error/);
    expect(HistoryImportEntry.safeParse({ type: 'tool_result', toolCallId: 'c', error, result: 1 }).success).toBe(
      false,
    );
  });

  test('history.toolResult.toolCallIdRequired, history.toolResult.nameOptional: whose it is', () => {
    refused({ type: 'tool_result', result: 1 }).toThrow(/toolCallId must be a string/);
    expect(historyToolResult({ toolCallId: 'c' }).name).toBeNull();
  });

  test('history.toolResult.errorShape: an error has a message', () => {
    refused({ type: 'tool_result', toolCallId: 'c', error: {} }).toThrow(/error\.message must be a string/);
    expect(historyToolResult({ toolCallId: 'c', error: { message: 'm', data: [1] } }).error).toEqual({
      message: 'm',
      data: [1],
    });
  });
});

describe('a snapshot', () => {
  test('history.snapshot.taskNameRequired, history.snapshot.snapshotTypeRequired, history.snapshot.type: both names', () => {
    refused({ type: 'snapshot', snapshotType: 'b' }).toThrow(/taskName must be a string/);
    refused({ type: 'snapshot', taskName: 'a' }).toThrow(/snapshotType must be a string/);
    expect(historySnapshot({ taskName: 'a', snapshotType: 'b' })).toEqual({
      type: 'snapshot',
      taskName: 'a',
      snapshotType: 'b',
      value: null,
    });
  });
});
