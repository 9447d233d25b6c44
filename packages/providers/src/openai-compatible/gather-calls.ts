import type { JsonObject, JsonValue, ToolCallBlock } from '@rondo/protocol';
import type { ModelPart } from '@rondo/runtime';
import type { ReplyReaderOptions } from '../dialect/dialect.ts';
import { isJsonObject, stringOf } from '../dialect/json.ts';
import { readToolInput } from '../dialect/tool-input.ts';

interface GatheredCall {
  readonly index: JsonValue | undefined;
  id: string;
  name: string;
  json: string;
  /** How much of `json` was handed on; undefined until the call's block began. */
  shown: number | undefined;
  ended: boolean;
}

export interface GatherCallsOptions extends Pick<ReplyReaderOptions, 'emit' | 'broken'> {
  /** The number of the next block. */
  readonly nextIndex: () => number;
  /** What goes back with a call's block. */
  readonly providerData: () => ToolCallBlock['providerData'];
}

export interface GatheredCalls {
  /** How many calls began. */
  readonly count: number;
  /** Takes the `tool_calls` of a delta. */
  take(pieces: readonly JsonValue[]): void;
  /** Hands on whatever is left: no call gets another piece. */
  end(): void;
}

/**
 * Makes blocks of streamed calls. Blocks come one after the other, while pieces of several calls may come in turns: the
 * first call that is not whole is handed on as it comes, what belongs to later ones waits for it.
 */
export function gatherCalls({ emit, broken, nextIndex, providerData }: GatherCallsOptions): GatheredCalls {
  const calls: GatheredCall[] = [];
  let current = 0;
  let block = -1;

  function take(pieces: readonly JsonValue[]): void {
    for (const piece of pieces) {
      if (!isJsonObject(piece)) continue;
      const called = isJsonObject(piece['function']) ? piece['function'] : {};
      const call = findCall(calls, piece, called) ?? addCall(piece['index']);
      addPiece(call, piece, called);
    }
    showCurrent();
  }

  function addCall(index: JsonValue | undefined): GatheredCall {
    const call = { index, id: '', name: '', json: '', shown: undefined, ended: false };
    calls.push(call);
    return call;
  }

  function addPiece(call: GatheredCall, piece: JsonObject, called: JsonObject): void {
    if (call.id === '') call.id = stringOf(piece['id']);
    const name = stringOf(called['name']);
    if (call.name === '') call.name = name;
    else if (name !== call.name && call.json === '' && call.shown === undefined) call.name += name;
    const text = argumentsText(called['arguments']);
    if (!call.ended) call.json += text;
    else if (text.trim() !== '' && text !== call.json) throw broken('a piece of a call comes after the call was whole');
  }

  /** Whether nothing but white space can come any more of the current call, now that another one began. */
  function showCurrent(): void {
    for (;;) {
      const call = calls[current];
      if (call === undefined) return;
      show(call);
      if (current === calls.length - 1 || !isWhole(call.json)) return;
      finish(call);
    }
  }

  function show(call: GatheredCall): void {
    if (call.shown === undefined) {
      if (call.json === '' && !call.ended) return;
      if (call.id === '') call.id = `call_${calls.indexOf(call) + 1}`;
      block = nextIndex();
      call.shown = 0;
      emit({ type: 'block-start', index: block, block: 'tool_call', toolCallId: call.id, name: call.name });
    }
    if (call.shown === call.json.length) return;
    emit({ type: 'delta', index: block, text: call.json.slice(call.shown) });
    call.shown = call.json.length;
  }

  function finish(call: GatheredCall): void {
    call.ended = true;
    show(call);
    const data = providerData();
    const whole: Extract<ModelPart, { type: 'block-end' }>['block'] = {
      type: 'tool_call',
      toolCallId: call.id,
      name: call.name,
      ...readToolInput(call.json),
      ...(data !== undefined && { providerData: data }),
    };
    emit({ type: 'block-end', index: block, block: whole });
    current += 1;
  }

  return {
    get count() {
      return calls.length;
    },
    take,
    end() {
      for (const call of calls.slice(current)) finish(call);
    },
  };
}

/**
 * The call that a piece belongs to; undefined for one that begins another. Servers number all calls 0, number none,
 * repeat the ID in every piece or in no piece: what tells a new call is an ID of its own, else a name behind arguments
 * that are whole.
 */
function findCall(calls: readonly GatheredCall[], piece: JsonObject, called: JsonObject): GatheredCall | undefined {
  const id = stringOf(piece['id']);
  const { index } = piece;
  const numbered = index === undefined || index === null ? undefined : calls.findLast((call) => call.index === index);
  const found = numbered ?? (id === '' ? undefined : calls.findLast((call) => call.id === id && index == null));
  const last = found ?? (index === undefined || index === null ? calls.at(-1) : undefined);
  if (last === undefined) return undefined;
  const name = stringOf(called['name']);
  if (name === '' || (id !== '' && id === last.id)) return last;
  if (id !== '' && last.id !== '') return undefined;
  const isAgain = numbered !== undefined && name === last.name && argumentsText(called['arguments']) === last.json;
  return isWhole(last.json) && !isAgain ? undefined : last;
}

/** Most send pieces of JSON, some the object itself. */
function argumentsText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
