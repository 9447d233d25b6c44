import assert from 'node:assert/strict';
import type { ModelBlock, TokenUsage } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';

export interface ReadReply {
  readonly parts: readonly ModelPart[];
  readonly outcomes: readonly unknown[];
}

/** What holds for any reply, however damaged: one outcome, of a kind that is documented, and parts in their order. */
export function assertReply({ parts, outcomes }: ReadReply): void {
  assert.equal(outcomes.length, 1, `it had ${outcomes.length} outcomes`);
  const [outcome] = outcomes;
  if (outcome !== 'ended') assertDocumented(outcome);
  assertOrder(parts, outcome === 'ended');
}

function assertDocumented(error: unknown): void {
  const documented = isRondoError(error) && String(error.code).startsWith('model.');
  assert.ok(
    documented,
    `it ended in what is no error of a model: ${error instanceof Error ? error.stack : String(error)}`,
  );
  assert.ok(error.message.length < 10_000, 'its error holds all of the stream');
  JSON.stringify(error.details);
}

function assertOrder(parts: readonly ModelPart[], ended: boolean): void {
  let open: Extract<ModelPart, { type: 'block-start' }> | undefined;
  let shown = '';
  let blocks = 0;
  for (const [place, part] of parts.entries()) {
    const at = `part ${place}, ${part.type}`;
    switch (part.type) {
      case 'start':
        assert.equal(place, 0, `${at}: comes late or twice`);
        if (part.usage !== undefined) assertUsage(part.usage, at);
        break;
      case 'block-start':
        assert.equal(open, undefined, `${at}: inside another block`);
        assert.equal(part.index, blocks, `${at}: out of order`);
        if (part.block === 'tool_call') assert.equal(typeof part.name, 'string', `${at}: has no name`);
        open = part;
        shown = '';
        break;
      case 'delta':
        assert.equal(part.index, open?.index, `${at}: of a block that is not open`);
        assert.equal(typeof part.text, 'string', `${at}: is no text`);
        shown += part.text;
        break;
      case 'block-end':
        assert.equal(part.index, open?.index, `${at}: of a block that is not open`);
        assertBlock(part.block, open?.block, shown, at);
        open = undefined;
        blocks += 1;
        break;
      case 'end':
        assert.ok(ended && place === parts.length - 1, `${at}: something comes behind it`);
        assert.equal(open, undefined, `${at}: inside a block`);
        assert.equal(typeof part.stopReason, 'string', `${at}: has no reason`);
        assertUsage(part.usage, at);
        break;
    }
  }
  assert.equal(parts.at(-1)?.type === 'end', ended, 'it ended without an end, or went on behind it');
  if (ended) assert.equal(parts[0]?.type, 'start', 'it ended without a start');
}

function assertBlock(block: ModelBlock, opened: string | undefined, shown: string, at: string): void {
  assert.equal(block.type, opened, `${at}: it opened as another kind`);
  JSON.stringify(block);
  if (block.type === 'text' || block.type === 'reasoning') {
    assert.equal(typeof block.text, 'string', `${at}: has no text`);
    // Half a character may have been kept back.
    assert.ok(block.text.startsWith(shown), `${at}: was shown otherwise`);
  }
  if (block.type !== 'tool_call') return;
  assert.ok(typeof block.toolCallId === 'string' && typeof block.name === 'string', `${at}: has no ID or name`);
  const { input } = block;
  assert.ok(typeof input === 'object' && input !== null && !Array.isArray(input), `${at}: its input is no object`);
}

function assertUsage(usage: TokenUsage, at: string): void {
  for (const [name, count] of Object.entries(usage)) {
    if (typeof count === 'number') assert.ok(Number.isInteger(count) && count >= 0, `${at}: ${name} is ${count}`);
  }
}
