import { saidBlocks, wholeText } from '../scripted/step-blocks.ts';
import type { ScriptBlock as SaidBlock, ScriptError, ScriptFault, ScriptStep } from '../scripted/script-form.ts';
import { status, type ReplyOptions, type ReplyUsage, type ScriptBlock, type Step, type StreamFault } from './script.ts';

/** A step of a file as the server does it. */
export function serverStep(step: ScriptStep): Step {
  if (step.error !== undefined) return errorStep(step.error);
  if (step.reset === true) return { type: 'reset' };
  const blocks = saidBlocks(step);
  // What was stopped before it said anything left no answer: whoever asks again is left without one as well.
  if (step.mute === true || blocks.length === 0) return { type: 'mute' };
  return { type: 'reply', blocks: blocks.map(serverBlock), ...replyOptions(step) };
}

function serverBlock(said: SaidBlock): ScriptBlock {
  if (said.text !== undefined)
    return { type: 'text', text: wholeText(said.text), ...(typeof said.text !== 'string' && { pieces: said.text }) };
  if (said.reasoning !== undefined) {
    const { reasoning, signature } = said;
    return { type: 'thinking', text: wholeText(reasoning), ...(signature !== undefined && { signature }) };
  }
  if (said.redacted !== undefined) return { type: 'redacted_thinking', data: said.redacted };
  if (said.opaque !== undefined)
    return { type: 'wire', block: said.opaque, ...(said.deltas && { deltas: said.deltas }) };
  const { call: name = '', input = {}, json, id } = said;
  return { type: 'tool_call', name, input, ...(json !== undefined && { json }), ...(id !== undefined && { id }) };
}

function replyOptions({ stop, stopDetails, usage, model, headers, wire, hold, fault }: ScriptStep): ReplyOptions {
  return {
    ...(stop !== undefined && { stopReason: stop }),
    ...(stopDetails && { stopDetails }),
    ...(usage && { usage: wireUsage(usage) }),
    ...(model !== undefined && { model }),
    ...(headers && { headers }),
    ...(wire && { wire }),
    ...(hold && { hold: { until: hold.until, ...(hold.after !== undefined && { after: streamPoint(hold.after) }) } }),
    ...(fault && { fault: serverFault(fault) }),
  };
}

function wireUsage(usage: NonNullable<ScriptStep['usage']>): ReplyUsage {
  const { cacheReadInputTokens, cacheCreationInputTokens, cacheCreationOneHourInputTokens: oneHour } = usage;
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    ...(cacheReadInputTokens !== undefined && { cache_read_input_tokens: cacheReadInputTokens }),
    ...(cacheCreationInputTokens !== undefined && { cache_creation_input_tokens: cacheCreationInputTokens }),
    ...(oneHour !== undefined && {
      cache_creation: {
        ephemeral_5m_input_tokens: (cacheCreationInputTokens ?? oneHour) - oneHour,
        ephemeral_1h_input_tokens: oneHour,
      },
    }),
  };
}

function serverFault({ cut, how = 'close', silence, error, after = 'headers', badJson }: ScriptFault): StreamFault {
  if (cut !== undefined) return { type: 'cut', after: streamPoint(cut), how };
  if (silence !== undefined) return { type: 'silence', after: streamPoint(silence) };
  if (error !== undefined) return { type: 'error', after: streamPoint(after), error };
  return { type: 'bad_json', event: badJson ?? 0 };
}

type StreamPoint = Extract<StreamFault, { type: 'cut' }>['after'];

function streamPoint(point: NonNullable<ScriptFault['cut']>): StreamPoint {
  if (typeof point === 'string') return point;
  return point.halfEvent === undefined ? { events: point.events ?? 0 } : { halfEvent: point.halfEvent };
}

/** The statuses of errors that have only a code. */
const statusByCode: Readonly<Record<string, number>> = {
  'model.authentication_failed': 401,
  'model.permission_denied': 403,
  'model.not_found': 404,
  'model.rate_limited': 429,
  'model.timeout': 504,
  'model.overloaded': 529,
  'model.server_error': 500,
};

function errorStep({ status: code, code: name, type, message, body, retryAfter, headers }: ScriptError): Step {
  if (code === undefined && (name === 'model.connection_failed' || name === 'model.stream_broken'))
    return { type: 'reset' };
  return status(code ?? statusByCode[name ?? ''] ?? 400, {
    ...(type !== undefined && { type }),
    ...(message !== undefined && { message }),
    ...(body !== undefined && { body }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(headers && { headers }),
  });
}
