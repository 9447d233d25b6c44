import type { ErrorCode, JsonObject, JsonValue, TokenUsage } from '@rondo/protocol';
import type { ModelRequest, StopReason } from '../model/model.ts';

/** One thing that a scripted reply does. Make them with `say`, `think`, `call`, … */
export type ScriptedPiece =
  | { readonly do: 'say'; readonly deltas: readonly string[] }
  | {
      readonly do: 'think';
      readonly deltas: readonly string[];
      readonly signature?: string;
      readonly redacted?: string;
    }
  | {
      readonly do: 'call';
      readonly name: string;
      readonly input: JsonValue;
      readonly id?: string;
      readonly malformed?: string;
    }
  | { readonly do: 'opaque'; readonly provider: string; readonly raw: JsonValue }
  | { readonly do: 'fail'; readonly code: ErrorCode; readonly details: JsonObject; readonly message: string }
  | { readonly do: 'stall' }
  | { readonly do: 'pause'; readonly until: Promise<unknown> }
  | { readonly do: 'stop'; readonly reason: StopReason }
  | { readonly do: 'usage'; readonly usage: TokenUsage }
  | { readonly do: 'cut'; readonly after: number };

/** One reply: a piece, several of them, or what the request makes of it. */
export type ScriptedStep =
  | ScriptedPiece
  | readonly (ScriptedPiece | readonly ScriptedPiece[])[]
  | ((request: ModelRequest) => ScriptedStep);

/** A text block. A list comes as that many deltas, a string as one. */
export function say(text: string | readonly string[]): ScriptedPiece {
  return { do: 'say', deltas: typeof text === 'string' ? [text] : text };
}

/** A reasoning block. Without a signature it is one that must not be sent back. */
export function think(text: string | readonly string[], signature?: string): ScriptedPiece {
  return {
    do: 'think',
    deltas: typeof text === 'string' ? [text] : text,
    ...(signature === undefined ? {} : { signature }),
  };
}

/** Reasoning that the provider sends encrypted. */
export function thinkRedacted(redacted: string): ScriptedPiece {
  return { do: 'think', deltas: [], redacted };
}

/** A tool call. Without an ID it gets the model's next: `call-1`, `call-2`, … */
export function call(name: string, input: JsonValue = {}, id?: string): ScriptedPiece {
  return { do: 'call', name, input, ...(id === undefined ? {} : { id }) };
}

/** A tool call whose arguments are not JSON. */
export function callMalformed(name: string, text: string, id?: string): ScriptedPiece {
  return { do: 'call', name, input: {}, malformed: text, ...(id === undefined ? {} : { id }) };
}

/** A block that only its provider understands. */
export function sayOpaque(provider: string, raw: JsonValue): ScriptedPiece {
  return { do: 'opaque', provider, raw };
}

/** Throws a `RondoError` here: at once as the only piece, in the middle of the stream after others. */
export function fail(code: ErrorCode, details: JsonObject = {}, message = `scripted failure: ${code}`): ScriptedPiece {
  return { do: 'fail', code, details, message };
}

/** Sends nothing more until the request is aborted. */
export function stall(): ScriptedPiece {
  return { do: 'stall' };
}

/** Sends nothing more until the promise is settled, or the request aborted. */
export function pauseUntil(until: Promise<unknown>): ScriptedPiece {
  return { do: 'pause', until };
}

/** Another stop reason than the one that follows from the blocks. */
export function stopWith(reason: StopReason): ScriptedPiece {
  return { do: 'stop', reason };
}

/** What this reply used. */
export function use(usage: TokenUsage): ScriptedPiece {
  return { do: 'usage', usage };
}

/** The pieces, with the stream broken (`model.stream_broken`) once that many parts are out; `start` is the first. */
export function cutAfter(parts: number, ...pieces: readonly ScriptedPiece[]): readonly ScriptedPiece[] {
  return [{ do: 'cut', after: parts }, ...pieces];
}
