import type { JsonObject, ModelBlock } from '@rondo/protocol';
import type { RondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import { createBlockQueue, type BlockStart, type QueuedBlock } from '../dialect/block-queue.ts';
import { readToolInput } from '../dialect/tool-input.ts';
import { wholeCharacters } from '../dialect/whole-characters.ts';
import { readFinish, readUsage, stopReasonOf, type Finish, type FinishPart } from './finish.ts';
import { keepOpaque } from './opaque-part.ts';
import type { AiSdkPart } from './language-model.ts';

export interface PartReaderOptions {
  readonly emit: (part: ModelPart) => void;
  /** The provider's name in our models' names, for blocks that only it understands. */
  readonly provider: string;
  /** Makes the error of a reply that is not whole, or not as the contract says. */
  readonly broken: (reason: string) => RondoError;
  /** Makes the error of one that the provider reports inside the stream. */
  readonly failed: (error: unknown) => RondoError;
  /** Whether an end for this reason means that the reply has to be asked for again. */
  readonly isBroken?: (finish: Finish, reply: { readonly blocks: number }) => boolean;
  /** Told of each setting that the provider package would not send. */
  readonly onWarning?: (warning: string) => void;
}

export interface PartReader {
  /** Takes the next part. Throws when the reply is broken or is an error. */
  read(part: AiSdkPart): void;
  /** True once `end` was emitted. */
  ended(): boolean;
  /** Where the reply stands, for the message of a reply that breaks off. */
  position(): string;
}

/** A block whose parts are still coming. */
interface OpenBlock {
  /** Its place, taken when there is something to show: what stays empty is no block. */
  queued?: QueuedBlock;
  readonly whole: (piece: string) => string;
  readonly name: string;
  text: string;
  /** The provider's data of the latest part that had some: it stands for the whole block. */
  data: JsonObject | undefined;
}

type Metadata = { readonly providerMetadata?: unknown };

/** Turns the parts of a language model of the AI SDK into ours. */
export function createPartReader(options: PartReaderOptions): PartReader {
  const { emit, provider, broken, failed } = options;
  const queue = createBlockQueue(emit);
  const texts = new Map<string, OpenBlock>();
  const reasonings = new Map<string, OpenBlock>();
  const calls = new Map<string, OpenBlock>();
  let started = false;
  let ended = false;
  let parts = 0;
  let model: string | undefined;
  let callCount = 0;
  let blocks = 0;
  let sources: JsonObject[] = [];
  let warnings: readonly string[] = [];

  function start(part?: Extract<AiSdkPart, { type: 'response-metadata' }>): void {
    model = part?.modelId ?? model;
    if (started) return;
    started = true;
    emit({
      type: 'start',
      ...(part?.id !== undefined && { providerMessageId: part.id }),
      ...(model !== undefined && { model }),
    });
  }

  function begin(opening: BlockStart): QueuedBlock {
    start();
    if (opening.block === 'opaque') cutTexts();
    blocks += 1;
    return queue.open(opening);
  }

  function open(map: Map<string, OpenBlock>, id: string, part: Metadata, name = ''): OpenBlock {
    const block: OpenBlock = { whole: wholeCharacters(), name, text: '', data: undefined };
    map.set(id, block);
    keepData(block, part);
    return block;
  }

  function place(block: OpenBlock, kind: 'text' | 'reasoning' | 'opaque'): QueuedBlock {
    block.queued ??= begin({ block: kind });
    return block.queued;
  }

  function openCall(id: string, name: string, part: Metadata): OpenBlock {
    callCount += 1;
    const block = open(calls, id, part, name);
    block.queued = begin({ block: 'tool_call', toolCallId: id, name });
    return block;
  }

  function extend(block: OpenBlock, part: Metadata & { readonly delta: string }): void {
    block.text += part.delta;
    if (part.providerMetadata !== undefined) keepData(block, part);
    block.queued?.delta(block.whole(part.delta));
  }

  function extendWords(
    kind: 'text' | 'reasoning',
    part: Metadata & { readonly id: string; readonly delta: string },
  ): void {
    const block = (kind === 'text' ? texts : reasonings).get(part.id);
    if (block === undefined) throw broken(`a piece of ${kind} in it belongs to no open block`);
    if (block.queued === undefined && part.delta !== '') place(block, kind);
    extend(block, part);
  }

  function endText(part: Extract<AiSdkPart, { type: 'text-end' }>): void {
    const block = taken(texts, part.id);
    if (block === undefined) return;
    keepData(block, part);
    const { text, data } = block;
    if (text === '') {
      // A text without words would be left out of the conversation, and the provider's data with it.
      const raw = { type: 'text', text, ...(data !== undefined && { providerMetadata: data }) };
      if (data !== undefined) place(block, 'opaque').end({ type: 'opaque', provider, raw });
      return;
    }
    placeText(block, 'citations' in part ? part.citations : undefined);
  }

  function placeText(block: OpenBlock, cited: readonly object[] | undefined): void {
    const { text, data } = block;
    const meta = { ...(cited && { citations: cited.map(keepOpaque) }), ...(sources.length > 0 && { sources }) };
    sources = [];
    place(block, 'text').end({
      type: 'text',
      text,
      ...(Object.keys(meta).length > 0 && { meta }),
      ...(data !== undefined && { providerData: data }),
    });
  }

  /** Google's package goes on with a text behind what came in its middle. Each piece of it keeps its own place. */
  function cutTexts(): void {
    for (const block of texts.values()) {
      if (block.text === '') continue;
      placeText(block, undefined);
      delete block.queued;
      block.text = '';
      block.data = undefined;
    }
  }

  /** The provider package decides what it sends back of reasoning, so all of it is kept for the model that wrote it. */
  function endReasoning(part: Extract<AiSdkPart, { type: 'reasoning-end' }>): void {
    const block = taken(reasonings, part.id);
    if (block === undefined) return;
    keepData(block, part);
    const { text, data } = block;
    if (text !== '' || data !== undefined) {
      place(block, 'reasoning').end({ type: 'reasoning', text, providerData: data ?? {} });
    }
  }

  function endCall(part: Extract<AiSdkPart, { type: 'tool-call' }>): void {
    const { toolCallId, toolName, input } = part;
    if (part.providerExecuted === true) {
      const begun = taken(calls, toolCallId);
      if (begun === undefined) return addOpaque(keepOpaque(part));
      callCount -= 1;
      begun.queued?.end({ type: 'opaque', provider, raw: keepOpaque(part) });
      return;
    }
    const block = calls.get(toolCallId) ?? openCall(toolCallId, toolName, part);
    calls.delete(toolCallId);
    keepData(block, part);
    if (block.text === '') block.queued?.delta(input);
    block.queued?.end(callBlock(toolCallId, toolName, input, block.data));
  }

  function addOpaque(raw: JsonObject): void {
    begin({ block: 'opaque' }).end({ type: 'opaque', provider, raw });
  }

  function finish(part: FinishPart): void {
    const reason = readFinish(part);
    // The stream may end with calls whose last part never came: what came of them is told to the model.
    for (const [id, block] of calls) block.queued?.end(callBlock(id, block.name, block.text, block.data));
    for (const id of reasonings.keys()) endReasoning({ type: 'reasoning-end', id });
    for (const id of texts.keys()) endText({ type: 'text-end', id });
    if (sources.length > 0) addOpaque({ type: 'sources', sources });
    const said = reason.raw === undefined ? '' : ` (${reason.raw})`;
    if (isUnfinished(reason, blocks) || options.isBroken?.(reason, { blocks }) === true) {
      throw broken(`it ends as ${reason.unified}${said}, ${position()}`);
    }
    start();
    ended = true;
    const stopReason = stopReasonOf(reason, callCount);
    const stopDetails: JsonObject = {
      ...(stopReason === 'refusal' && { ...(reason.raw !== undefined && { reason: reason.raw }), ...dataOf(part) }),
      ...(warnings.length > 0 && { warnings }),
    };
    const usage = readUsage(part.usage, model);
    emit({ type: 'end', stopReason, usage, ...(Object.keys(stopDetails).length > 0 && { stopDetails }) });
  }

  function position(): string {
    return `after ${parts} parts and ${blocks} blocks`;
  }

  function read(part: AiSdkPart): void {
    if (ended) return;
    parts += 1;
    switch (part.type) {
      case 'text-delta':
        return extendWords('text', part);
      case 'reasoning-delta':
        return extendWords('reasoning', part);
      case 'tool-input-delta': {
        const block = calls.get(part.id);
        // Of a tool that runs on the provider's servers, whose call comes whole.
        if (block !== undefined) extend(block, part);
        return;
      }
      case 'text-start':
        open(texts, part.id, part);
        return;
      case 'reasoning-start':
        open(reasonings, part.id, part);
        return;
      case 'text-end':
        return endText(part);
      case 'reasoning-end':
        return endReasoning(part);
      case 'tool-input-start':
        if (part.providerExecuted !== true) openCall(part.id, part.toolName, part);
        return;
      case 'tool-input-end':
        return;
      case 'tool-call':
        return endCall(part);
      case 'source':
        sources.push(keepOpaque(part));
        return;
      case 'stream-start':
        warnings = part.warnings.map(describeWarning);
        if (options.onWarning !== undefined) warnings.forEach(options.onWarning);
        return;
      case 'response-metadata':
        return start(part);
      case 'finish':
        return finish(part);
      case 'error':
        throw failed(part.error);
      case 'raw':
      case 'ping':
        return;
      default:
        // Results of tools on the provider's servers, files, and whatever comes with a newer contract.
        return addOpaque(keepOpaque(part));
    }
  }

  return {
    read,
    ended() {
      return ended;
    },
    position() {
      return position();
    },
  };
}

function taken(map: Map<string, OpenBlock>, id: string): OpenBlock | undefined {
  const block = map.get(id);
  map.delete(id);
  return block;
}

function keepData(block: OpenBlock, part: Metadata): void {
  const { providerMetadata: data } = dataOf(part);
  if (data !== undefined) block.data = data;
}

/** What a provider adds is JSON by its contract; one that holds dates or bytes all the same is written as such. */
function dataOf({ providerMetadata }: Metadata): { readonly providerMetadata?: JsonObject } {
  if (typeof providerMetadata !== 'object' || providerMetadata === null) return {};
  return { providerMetadata: JSON.parse(JSON.stringify(providerMetadata)) as JsonObject };
}

function callBlock(toolCallId: string, name: string, input: string, data: JsonObject | undefined): ModelBlock {
  return {
    type: 'tool_call',
    toolCallId,
    name,
    ...readToolInput(input),
    ...(data !== undefined && { providerData: data }),
  };
}

/** Providers say `interrupted` where no reason came; those of AI SDK 5 say `unknown`, also for reasons of their own. */
function isUnfinished({ unified }: Finish, blocks: number): boolean {
  return unified === 'interrupted' || unified === 'error' || (unified === 'unknown' && blocks === 0);
}

function describeWarning(warning: object): string {
  const said = Object.entries(warning).filter(([key, value]) => key !== 'type' && typeof value === 'string');
  const type = 'type' in warning ? String(warning.type) : 'warning';
  return [type, ...said.map(([, value]) => String(value))].join(': ');
}
