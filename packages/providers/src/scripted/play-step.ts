import type { TokenUsage } from '@rondo/protocol';
import { RondoError, type ErrorCode } from '@rondo/protocol/values';
import type { ModelPart, ModelRequest } from '@rondo/runtime';
import { codeOfStatus } from '../dialect/api-error.ts';
import { abortedRequest } from './aborted-request.ts';
import { blockParts } from './block-parts.ts';
import { isErrorCode } from './check-step.ts';
import type { ScriptedStep } from './script.ts';
import type { ScriptError, ScriptPoint, ScriptStep } from './script-form.ts';
import { stepBlocks } from './step-blocks.ts';
import { withSession } from './variables.ts';
import { waitForFile } from './wait-for-file.ts';
import { askedRequest, writeAsked } from './write-asked.ts';

export interface PlayOptions {
  /** The model's name, where the step says none. */
  readonly model: string;
  readonly usage: TokenUsage;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

/** The step as a model's reply: its parts, its fault or its error. */
export async function* playStep({ said, place }: ScriptedStep, options: PlayOptions): AsyncGenerator<ModelPart, void> {
  const { request, signal } = options;
  throwIfAborted(signal);
  const step = withSession(said, request.sessionId);
  if (step.asked !== undefined) writeAsked(step.asked, askedRequest(request), place);
  if (step.error !== undefined) throw scriptedError(step.error, place);
  if (step.reset === true) throw new RondoError('model.connection_failed', `${place} resets the connection`);
  if (step.mute === true) return await untilAborted(signal);
  if (step.interrupted === true && step.text === undefined && step.reply === undefined)
    throw new RondoError(
      'model.request_invalid',
      `${place}: when this was recorded, somebody stopped the reply here, before it said anything.`,
    );
  let sent = 0;
  const parts = [...replyParts(step, options)];
  const held = step.hold && partsBefore(step.hold.after ?? 'headers', parts);
  const end = breakOf(step, parts);
  for (const part of parts) {
    if (step.hold && sent === held) await waitForFile(step.hold.until, signal);
    if (sent === end) break;
    sent += 1;
    yield part;
    throwIfAborted(signal);
  }
  if (end === undefined) return;
  if (step.fault?.silence !== undefined) return await untilAborted(signal);
  if (step.fault?.error !== undefined) throw scriptedError(step.fault.error, place);
  throw new RondoError('model.stream_broken', `${place} breaks its reply off after ${end} parts`);
}

function* replyParts(step: ScriptStep, { model, usage, request }: PlayOptions): Generator<ModelPart, void> {
  yield { type: 'start', model: step.model ?? model };
  const blocks = stepBlocks(step, callIds(request));
  for (const [index, block] of blocks.entries()) yield* blockParts(block, index);
  const calls = blocks.some(({ block }) => block.type === 'tool_call');
  yield {
    type: 'end',
    stopReason: step.stop ?? (calls ? 'tool_use' : 'end_turn'),
    usage: step.usage ?? usage,
    ...(step.stopDetails && { stopDetails: step.stopDetails }),
  };
}

/** `call-1`, `call-2`, …: unique in the conversation, and the same whenever it is played. */
function callIds({ messages }: ModelRequest): () => string {
  let count = 0;
  for (const message of messages) {
    if (message.role === 'assistant') for (const block of message.content) if (block.type === 'tool_call') count += 1;
  }
  return () => `call-${(count += 1)}`;
}

/** How many parts come before the fault; undefined for a reply without one. */
function breakOf({ fault }: ScriptStep, parts: readonly ModelPart[]): number | undefined {
  if (fault === undefined) return undefined;
  if (fault.badJson !== undefined) return Math.min(fault.badJson, parts.length - 1);
  return partsBefore(fault.cut ?? fault.silence ?? fault.after ?? 'headers', parts);
}

function partsBefore(point: ScriptPoint, parts: readonly ModelPart[]): number {
  if (point === 'headers') return 0;
  if (point === 'first-tool-call') {
    const call = parts.findIndex((part) => part.type === 'block-end' && part.block.type === 'tool_call');
    return call === -1 ? parts.length - 1 : call + 1;
  }
  // One that breaks off is never whole, however far it gets.
  return Math.min(point.events ?? point.halfEvent ?? 0, parts.length - 1);
}

/** Errors inside a reply have a type and no status. */
const codesByType: Readonly<Record<string, ErrorCode>> = {
  overloaded_error: 'model.overloaded',
  rate_limit_error: 'model.rate_limited',
  timeout_error: 'model.timeout',
};

function scriptedError(error: ScriptError, place: string): RondoError {
  const { status, type, message, retryAfter } = error;
  const code = isErrorCode(error.code)
    ? error.code
    : status === undefined
      ? (codesByType[type ?? ''] ?? 'model.server_error')
      : codeOfStatus(status);
  return new RondoError(code, message ?? `${place} fails with ${status === undefined ? code : `status ${status}`}`, {
    details: {
      ...(status !== undefined && { status }),
      ...(type !== undefined && { type }),
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1000 }),
    },
  });
}

/** @throws RondoError `operation.aborted`. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortedRequest(signal);
}

/** Keeps the process alive, as the connection would to which nothing comes. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const alive = setInterval(() => undefined, 1_000_000);
    const abort = (): void => {
      clearInterval(alive);
      reject(abortedRequest(signal));
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
