import type { HistoryEntry } from '@rondo/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConversationItem } from './conversation.ts';
import { addImported } from './imported-history.ts';

type Kind = 'call' | 'result' | 'said' | 'asked' | 'lost';

/** Where a result belongs, looked for in all that came before. */
function placeOf(conversation: readonly ConversationItem[], toolCallId: string): string | undefined {
  const answered = new Set(conversation.flatMap((item) => (item.kind === 'result' ? [item.result.callId] : [])));
  for (const item of conversation.toReversed()) {
    if (item.kind !== 'assistant') continue;
    for (const [index, block] of item.entry.content.entries()) {
      const callId = `${item.entry.id}#${index}`;
      if (block.type === 'tool_call' && block.toolCallId === toolCallId && !answered.has(callId)) return callId;
    }
  }
  return undefined;
}

test('a result goes to the last reply that has such a call open, whatever comes between and is taken out', () => {
  const kind = fc.constantFrom<Kind>('call', 'result', 'said', 'asked', 'lost');
  fc.assert(
    fc.property(fc.array(fc.tuple(kind, fc.constantFrom('a', 'b')), { maxLength: 40 }), (steps) => {
      const conversation: ConversationItem[] = [];
      for (const [index, [what, toolCallId]] of steps.entries()) {
        const id = `e${index}`;
        if (what === 'asked') {
          conversation.push({ kind: 'message', entry: { type: 'message', id, role: 'user', content: [] } });
        } else if (what === 'lost') {
          conversation.splice(index % (conversation.length + 1), 1);
        } else if (what === 'result') {
          const place = placeOf(conversation, toolCallId);
          const before = conversation.length;
          addImported(conversation, { type: 'tool_result', id, toolCallId, result: null, annotations: {} });
          const added = conversation.slice(before).map((item) => (item.kind === 'result' ? item.result.callId : ''));
          expect(added).toEqual(place === undefined ? [] : [place]);
        } else {
          const entry: HistoryEntry =
            what === 'call'
              ? { type: 'tool_call', id, toolCallId, toolKind: 'local', name: 'act', arguments: {} }
              : { type: 'assistant', id, model: 'imported', content: [{ type: 'text', text: id }] };
          addImported(conversation, entry);
        }
      }
    }),
    { numRuns: 500 },
  );
});
