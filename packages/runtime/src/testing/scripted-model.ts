import { AssertionError } from 'node:assert';
import type { ModelBlock, TokenUsage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { checkConversation, describeProblems } from '../context/check-conversation.ts';
import { toolNamePattern } from '../context/request-limits.ts';
import type { Model, ModelInput, ModelLimits, ModelPart, ModelPrice, ModelRequest } from '../model/model.ts';
import { freezeDeep } from './freeze-deep.ts';
import type { ScriptedPiece, ScriptedStep } from './scripted-step.ts';

export interface ScriptedModelOptions {
  /** `scripted/model` unless said. */
  readonly name?: string;
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
  readonly input?: ModelInput;
  readonly secrets?: readonly string[];
  /** What a reply used where its step says nothing: 10 in, 5 out unless said. */
  readonly usage?: TokenUsage;
}

export interface ScriptedModel extends Model {
  /** Every request, frozen through and through: who changes one later throws where it happens. */
  readonly requests: readonly ModelRequest[];
  /** Adds steps behind those that are left. */
  push(...steps: readonly ScriptedStep[]): void;
  /** Throws when a step is left, one was missing, or a request broke an invariant, also where the engine caught it. */
  assertDone(): void;
}

/**
 * A model that says what it is told, one step a request. Every request is checked as strictly as any provider would:
 * a broken invariant throws an `AssertionError` that lists all of them.
 */
export function scriptedModel(steps: readonly ScriptedStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  const { name = 'scripted/model', usage = { inputTokens: 10, outputTokens: 5 } } = options;
  const left = [...steps];
  const requests: ModelRequest[] = [];
  const failures: string[] = [];
  let calls = 0;

  const refuse = (message: string): never => {
    failures.push(message);
    throw new AssertionError({ message });
  };

  return {
    name,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.price === undefined ? {} : { price: options.price }),
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    requests,
    push: (...more) => void left.push(...more),
    stream(request, { signal }) {
      requests.push(freezeDeep(request));
      const problems = problemsOf(request, name, options.input);
      if (problems !== '') return refuse(`request ${requests.length} of ${name} breaks invariants:\n${problems}`);
      const step = left.shift();
      if (step === undefined)
        return refuse(`request ${requests.length} of ${name} has no step: the script has ${requests.length - 1}`);
      const pieces = piecesOf(step, request);
      return playPieces(pieces, { name, usage, signal, nextCallId: () => `call-${(calls += 1)}` });
    },
    assertDone() {
      if (left.length > 0) failures.push(`${left.length} steps of ${name} were not used`);
      if (failures.length > 0) throw new AssertionError({ message: failures.join('\n') });
    },
  };
}

function problemsOf(request: ModelRequest, model: string, input: ModelInput | undefined): string {
  const problems = describeProblems(checkConversation(request.messages, { model, ...(input && { input }) }));
  const names = new Set<string>();
  const toolProblems: string[] = [];
  for (const tool of request.tools) {
    if (!toolNamePattern.test(tool.name)) toolProblems.push(`tool name ${JSON.stringify(tool.name)} is not sendable`);
    if (names.has(tool.name)) toolProblems.push(`tool ${tool.name} is listed twice`);
    if (tool.inputSchema['type'] !== 'object') toolProblems.push(`tool ${tool.name}: the input schema is no object's`);
    names.add(tool.name);
  }
  return [problems, ...toolProblems].filter((line) => line !== '').join('\n');
}

function piecesOf(step: ScriptedStep, request: ModelRequest): readonly ScriptedPiece[] {
  if (typeof step === 'function') return piecesOf(step(request), request);
  return 'do' in step ? [step] : step.flat();
}

interface Playing {
  readonly name: string;
  readonly usage: TokenUsage;
  readonly signal: AbortSignal;
  nextCallId(): string;
}

async function* playPieces(pieces: readonly ScriptedPiece[], playing: Playing): AsyncGenerator<ModelPart, void> {
  const cut = pieces.find((piece) => piece.do === 'cut');
  let parts = 0;
  for await (const part of partsOf(pieces, playing)) {
    throwIfAborted(playing.signal);
    if (cut !== undefined && parts >= cut.after) {
      throw new RondoError('model.stream_broken', `scripted break after ${cut.after} parts`);
    }
    parts += 1;
    yield part;
    throwIfAborted(playing.signal);
  }
}

async function* partsOf(pieces: readonly ScriptedPiece[], playing: Playing): AsyncGenerator<ModelPart, void> {
  let usage = playing.usage;
  let stopReason: string | undefined;
  let index = 0;
  const [first] = pieces;
  if (first?.do === 'fail') throw new RondoError(first.code, first.message, { details: first.details });
  yield { type: 'start', model: playing.name };
  for (const piece of pieces) {
    switch (piece.do) {
      case 'fail':
        throw new RondoError(piece.code, piece.message, { details: piece.details });
      case 'stall':
        await untilAborted(playing.signal, new Promise<never>(() => {}));
        break;
      case 'pause':
        await untilAborted(playing.signal, piece.until);
        break;
      case 'stop':
        stopReason = piece.reason;
        break;
      case 'usage':
        usage = piece.usage;
        break;
      case 'cut':
        break;
      case 'say':
      case 'think':
      case 'call':
      case 'opaque':
        yield* blockParts(piece, index, playing);
        index += 1;
    }
  }
  stopReason ??= pieces.some((piece) => piece.do === 'call') ? 'tool_use' : 'end_turn';
  yield { type: 'end', stopReason, usage };
}

type BlockPiece = Extract<ScriptedPiece, { do: 'say' | 'think' | 'call' | 'opaque' }>;

function* blockParts(piece: BlockPiece, index: number, playing: Playing): Generator<ModelPart, void> {
  switch (piece.do) {
    case 'say':
      yield { type: 'block-start', index, block: 'text' };
      for (const text of piece.deltas) yield { type: 'delta', index, text };
      yield { type: 'block-end', index, block: { type: 'text', text: piece.deltas.join('') } };
      return;
    case 'think': {
      yield { type: 'block-start', index, block: 'reasoning' };
      for (const text of piece.deltas) yield { type: 'delta', index, text };
      const { signature, redacted } = piece;
      const block: ModelBlock = {
        type: 'reasoning',
        text: piece.deltas.join(''),
        ...(signature === undefined ? {} : { signature }),
        ...(redacted === undefined ? {} : { redacted }),
      };
      yield { type: 'block-end', index, block };
      return;
    }
    case 'call': {
      const { name, input, malformed, id: toolCallId = playing.nextCallId() } = piece;
      yield { type: 'block-start', index, block: 'tool_call', toolCallId, name };
      yield { type: 'delta', index, text: malformed ?? JSON.stringify(input) };
      const broken =
        malformed === undefined ? {} : { malformed: { text: malformed, error: 'scripted: the input is not JSON' } };
      yield { type: 'block-end', index, block: { type: 'tool_call', toolCallId, name, input, ...broken } };
      return;
    }
    case 'opaque':
      yield { type: 'block-start', index, block: 'opaque' };
      yield { type: 'block-end', index, block: { type: 'opaque', provider: piece.provider, raw: piece.raw } };
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new RondoError('operation.aborted', 'the model request was aborted', { cause: signal.reason });
}

async function untilAborted(signal: AbortSignal, settled: Promise<unknown>): Promise<void> {
  throwIfAborted(signal);
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([settled, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  throwIfAborted(signal);
}
