import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { ModelPart } from '@rondo/runtime';
import type { ReplyReaderOptions } from '../dialect/dialect.ts';
import { isJsonObject, stringOf } from '../dialect/json.ts';
import { wholeCharacters } from '../dialect/whole-characters.ts';
import { gatherCalls } from './gather-calls.ts';
import type { TextField } from './plain-chunk.ts';
import { detailsIn, joinDetails, readableText } from './reasoning-details.ts';
import type { ServerQuirks } from './server-quirks.ts';
import { createThinkTags } from './think-tags.ts';

type Kind = 'text' | 'reasoning';

interface OpenBlock {
  readonly kind: Kind;
  readonly index: number;
  /** The field that the reasoning came in, where that is where it goes back. */
  readonly field: string | undefined;
  readonly pieces: (piece: string) => string;
  text: string;
}

export interface ReplyBlocks {
  /** Takes the delta of a chunk. */
  take(delta: JsonObject): void;
  /** Whether a piece of text in the field is nothing but more of the open block. */
  isPlain(field: TextField): boolean;
  /** More of the open block. */
  takeText(text: string): void;
  /** Ends every block. */
  end(): void;
  /** Nothing was said yet. */
  readonly isEmpty: boolean;
  readonly calls: number;
  /** How many blocks came whole. */
  readonly whole: number;
}

export interface ReplyBlocksOptions extends Pick<ReplyReaderOptions, 'emit' | 'broken'> {
  readonly quirks: ServerQuirks;
}

/** Makes blocks of the deltas of a reply. What comes behind the first call is held until the calls are over. */
export function createReplyBlocks({ emit: hand, broken, quirks }: ReplyBlocksOptions): ReplyBlocks {
  let blocks = 0;
  let whole = 0;
  let open: OpenBlock | undefined;
  /** White space that may turn out to be all there is of a text. */
  let blank = '';
  let details: JsonObject[] = [];
  const held: { readonly kind: Kind; text: string }[] = [];
  let tags = quirks.thinkTags ? createThinkTags() : undefined;
  const calls = gatherCalls({
    emit,
    broken,
    nextIndex() {
      blocks += 1;
      return blocks - 1;
    },
    providerData: takeDetails,
  });

  function emit(part: ModelPart): void {
    if (part.type === 'block-end') whole += 1;
    hand(part);
  }

  function take(delta: JsonObject): void {
    const added = detailsIn(delta);
    if (quirks.returnsReasoning === 'as-details') details.push(...added);
    takeReasoning(delta, added);
    takeContent(delta['content']);
    // A refusal is the answer, in a field of its own.
    takeContent(delta['refusal']);
    const pieces = delta['tool_calls'];
    if (!Array.isArray(pieces) || pieces.length === 0) return;
    if (calls.count === 0) endText();
    calls.take(pieces as readonly JsonValue[]);
  }

  function takeReasoning(delta: JsonObject, added: readonly JsonObject[]): void {
    const field = (['reasoning_content', 'reasoning'] as const).find((name) => stringOf(delta[name]) !== '');
    const text = field === undefined ? readableText(added) : stringOf(delta[field]);
    if (text === '') return;
    // Where reasoning has a field, a tag in the text is text.
    endTags();
    extend('reasoning', text, field);
  }

  function takeContent(content: JsonValue | undefined): void {
    if (typeof content === 'string') return takeWritten(content);
    if (!Array.isArray(content)) return;
    for (const part of (content as readonly JsonValue[]).filter(isJsonObject)) {
      const thought = part['thinking'];
      if (part['type'] === 'thinking')
        extend('reasoning', typeof thought === 'string' ? thought : textOf(thought), undefined);
      else takeWritten(stringOf(part['text']));
    }
  }

  function takeWritten(text: string): void {
    if (text === '') return;
    if (tags === undefined || tags.done) return extend('text', text, undefined);
    for (const piece of tags.read(text)) extend(piece.kind, piece.text, undefined);
  }

  function extend(kind: Kind, text: string, field: string | undefined): void {
    if (calls.count > 0) return hold(kind, text);
    if (open?.kind !== kind) {
      const begins = kind === 'text' ? blank + text : text;
      if (kind === 'text' && begins.trim() === '') {
        blank = begins;
        return;
      }
      blank = '';
      begin(kind, field);
      return addText(begins);
    }
    addText(text);
  }

  function hold(kind: Kind, text: string): void {
    const last = held.at(-1);
    if (last?.kind === kind) last.text += text;
    else held.push({ kind, text });
  }

  function begin(kind: Kind, field: string | undefined): void {
    endOpen();
    open = { kind, index: blocks, field, pieces: wholeCharacters(), text: '' };
    blocks += 1;
    emit({ type: 'block-start', index: open.index, block: kind });
  }

  function addText(text: string): void {
    if (open === undefined) return;
    open.text += text;
    const shown = open.pieces(text);
    if (shown !== '') emit({ type: 'delta', index: open.index, text: shown });
  }

  function endOpen(): void {
    if (open === undefined) return;
    const { kind, index, text, field } = open;
    open = undefined;
    const back = kind === 'reasoning' && quirks.returnsReasoning === 'in-its-field' ? field : undefined;
    const providerData = back === undefined ? takeDetails() : { field: back };
    emit({ type: 'block-end', index, block: { type: kind, text, ...(providerData && { providerData }) } });
  }

  /** What of the details no block has taken yet: it goes back with the block that ends next. */
  function takeDetails(): JsonObject | undefined {
    if (details.length === 0) return undefined;
    const joined = joinDetails(details);
    details = [];
    return { reasoning_details: joined };
  }

  function endTags(): void {
    const rest = tags?.end() ?? [];
    tags = undefined;
    for (const piece of rest) extend(piece.kind, piece.text, undefined);
  }

  function endText(): void {
    endTags();
    blank = '';
    endOpen();
  }

  function end(): void {
    endText();
    calls.end();
    for (const { kind, text } of held) {
      if (text.trim() === '') continue;
      begin(kind, undefined);
      addText(text);
      endOpen();
    }
  }

  return {
    take,
    isPlain: (field) =>
      calls.count === 0 &&
      (field === 'content'
        ? open?.kind === 'text' && (tags === undefined || tags.done)
        : open?.kind === 'reasoning' && open.field === field),
    takeText: addText,
    end,
    get isEmpty() {
      return blocks === 0 && calls.count === 0;
    },
    get calls() {
      return calls.count;
    },
    get whole() {
      return whole;
    },
  };
}

function textOf(parts: JsonValue | undefined): string {
  if (!Array.isArray(parts)) return '';
  return (parts as readonly JsonValue[]).map((part) => (isJsonObject(part) ? stringOf(part['text']) : '')).join('');
}
