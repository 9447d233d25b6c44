import type { JsonObject } from '@rondo/protocol';
import { cutText } from '../cut-text.ts';
import type { Piece, ScriptBlock } from '../script.ts';
import type { ReplyContext, ReplyEvent } from '../server-dialect.ts';
import { sealReasoning } from './reasoning-seal.ts';

export interface ItemOptions {
  readonly context: ReplyContext;
  /** Makes the IDs of the reply's items; every run has the same. */
  readonly seed: string;
  readonly index: number;
  readonly phase: 'commentary' | 'final_answer';
  /** The model refuses in its text. */
  readonly refuses: boolean;
  /** The reply's limit cut the item off. */
  readonly incomplete: boolean;
  /** The request asked for reasoning in its encrypted form. */
  readonly encrypts: boolean;
}

/** The events of one item of the output, and the item that they come to. */
export interface ItemEvents {
  readonly events: readonly ReplyEvent[];
  readonly item: JsonObject;
}

type Block = Exclude<ScriptBlock, { type: 'hold' }>;

export function itemEvents(block: Block, options: ItemOptions): ItemEvents {
  switch (block.type) {
    case 'text':
      return messageEvents(block.pieces ?? cutText(block.text, block.pieceLength), block.text, options);
    case 'thinking':
      return reasoningEvents(block, options);
    case 'redacted_thinking':
      return hiddenReasoning(block.data, options);
    case 'tool_call':
      return callEvents(block, options);
    case 'wire':
      return wireEvents(block.block, block.deltas ?? [], options);
  }
}

function wrap(begun: JsonObject, item: JsonObject, inner: readonly ReplyEvent[], index: number): ItemEvents {
  const added = { type: 'response.output_item.added', item: begun, output_index: index };
  const done = { type: 'response.output_item.done', item, output_index: index };
  return { events: [added, ...inner, done], item };
}

function statusOf({ incomplete }: ItemOptions): 'completed' | 'incomplete' {
  return incomplete ? 'incomplete' : 'completed';
}

function messageEvents(pieces: readonly Piece[], text: string, options: ItemOptions): ItemEvents {
  const { index, seed, phase, refuses } = options;
  const id = `msg_${seed}${index}`;
  const place = { content_index: 0, item_id: id };
  const part = (said: string): JsonObject =>
    refuses ? { type: 'refusal', refusal: said } : { type: 'output_text', annotations: [], logprobs: [], text: said };
  const message = (status: string, content: readonly JsonObject[]): JsonObject => ({
    id,
    type: 'message',
    status,
    content,
    phase,
    role: 'assistant',
  });
  const kind = refuses ? 'refusal' : 'output_text';
  const deltas = pieces.map((piece, count): ReplyEvent => {
    if (typeof piece !== 'string') return piece;
    const words = { type: `response.${kind}.delta`, content_index: 0, delta: piece, item_id: id };
    return refuses
      ? { ...words, output_index: index }
      : { ...words, logprobs: [], obfuscation: noise(count), output_index: index };
  });
  return wrap(
    message('in_progress', []),
    message(statusOf(options), [part(text)]),
    [
      { type: 'response.content_part.added', ...place, output_index: index, part: part('') },
      ...deltas,
      refuses
        ? { type: 'response.refusal.done', ...place, output_index: index, refusal: text }
        : { type: 'response.output_text.done', ...place, logprobs: [], output_index: index, text },
      { type: 'response.content_part.done', ...place, output_index: index, part: part(text) },
    ],
    index,
  );
}

/** Of a length that changes, as the API pads its deltas. */
function noise(count: number): string {
  return 'Qx7aT0mZ3kLpV9'.slice(count % 13);
}

/** A blank line in the text begins a part of its own, as summaries have them. */
function reasoningEvents({ text, signature }: Extract<Block, { type: 'thinking' }>, options: ItemOptions): ItemEvents {
  const { index, seed, context, encrypts } = options;
  const id = `rs_${seed}${index}`;
  const summary = text.split('\n\n');
  const seal = sealReasoning({ id, summary }, context.signer, signature);
  const events = summary.flatMap((said, part): ReplyEvent[] => {
    const place = { item_id: id, output_index: index, summary_index: part };
    const whole = { type: 'summary_text', text: said };
    return [
      { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
      ...cutText(said).map((delta) => ({ type: 'response.reasoning_summary_text.delta', delta, ...place })),
      { type: 'response.reasoning_summary_text.done', ...place, text: said },
      { type: 'response.reasoning_summary_part.done', ...place, part: whole },
    ];
  });
  const item = {
    id,
    type: 'reasoning',
    encrypted_content: encrypts ? seal : null,
    summary: summary.map((said) => ({ type: 'summary_text', text: said })),
  };
  return wrap({ ...item, encrypted_content: encrypts ? seal.slice(0, 8) : null, summary: [] }, item, events, index);
}

function hiddenReasoning(data: string, { index, seed, context, encrypts }: ItemOptions): ItemEvents {
  const id = `rs_${seed}${index}`;
  const seal = sealReasoning({ id, summary: [], hidden: data }, context.signer);
  const item = { id, type: 'reasoning', encrypted_content: encrypts ? seal : null, summary: [] };
  return wrap(item, item, [], index);
}

function callEvents(block: Extract<Block, { type: 'tool_call' }>, options: ItemOptions): ItemEvents {
  const { index, seed } = options;
  const id = `fc_${seed}${index}`;
  const json = block.json ?? JSON.stringify(block.input);
  const call = (status: string, written: string): JsonObject => ({
    id,
    type: 'function_call',
    status,
    arguments: written,
    call_id: block.id ?? `call_${seed}${index}`,
    name: block.name,
  });
  const place = { item_id: id, output_index: index };
  return wrap(
    call('in_progress', ''),
    call(statusOf(options), json),
    [
      ...cutText(json).map((delta, count) => ({
        type: 'response.function_call_arguments.delta',
        delta,
        item_id: id,
        obfuscation: noise(count),
        output_index: index,
      })),
      { type: 'response.function_call_arguments.done', arguments: json, ...place },
    ],
    index,
  );
}

/** An item as it stands on the wire, and further events about it. */
function wireEvents(item: JsonObject, deltas: readonly JsonObject[], { index }: ItemOptions): ItemEvents {
  const place = { ...(typeof item['id'] === 'string' && { item_id: item['id'] }), output_index: index };
  const begun = item['status'] === undefined ? item : { ...item, status: 'in_progress' };
  return wrap(
    begun,
    item,
    deltas.map((delta) => ({ ...delta, ...place })),
    index,
  );
}
