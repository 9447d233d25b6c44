import type { JsonObject } from '@rondo/protocol';
import { canonicalJson, RondoError } from '@rondo/protocol/values';
import {
  redactText,
  secretValues,
  type Model,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
} from '@rondo/runtime';
import { isJsonObject } from '../dialect/json.ts';
import { createReplyRecorder, type ReplyRecorder } from './recorded-step.ts';
import { openRecordingFile, type RecordingFile } from './recording-file.ts';
import { countReplies, saidByUser, saidMessages, saidSettings, saidTools } from './said-request.ts';
import type { Script } from './script.ts';
import { surroundings } from './surroundings.ts';
import { asSessionVariable, asVariables, mapTexts, scriptVariables, type ScriptVariables } from './variables.ts';

export interface RecordModelOptions {
  /** YAML, or JSON where it ends in `.json`. A recording that is there already is gone on with. */
  readonly file: string;
  readonly variables?: ScriptVariables;
  /** Values that are recorded as `[redacted]`, beside those that the model names itself. */
  readonly secrets?: readonly string[];
}

/**
 * The model, with every request and reply written to a file as a script. The file can be played after each of them.
 * @throws RondoError `input.invalid` where the file is there and is no recording.
 */
export async function recordModel(model: Model, options: RecordModelOptions): Promise<Model> {
  const { file, variables = scriptVariables() } = options;
  const secrets = secretValues([...(model.secrets ?? []), ...(options.secrets ?? [])]);
  const head: JsonObject = {
    version: 1,
    recorded: { model: model.name },
    match: 'all',
    ignore: [surroundings],
    ...(model.limits && { limits: { ...model.limits } }),
    ...(model.input && { input: { ...model.input } as JsonObject }),
  };
  const recording = await openRecordingFile({ file, head, variables });
  const conversations = createConversations(recording, file);
  const above: Record<string, string> = {};

  /** The step as it stands in the file: nothing of this machine or this run in it, nothing that stands above already. */
  function write(said: JsonObject, sessionId: string | undefined): void {
    const redacted = mapTexts(said, (text) => redactText(text, secrets));
    const step = asVariables(asSessionVariable(redacted, sessionId), variables);
    const request = step['request'];
    recording.append(isJsonObject(request) ? { ...step, request: withoutAbove(request, above) } : step);
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    const before = conversations.enter(request);
    const reply = createReplyRecorder();
    let end: Parameters<ReplyRecorder['step']>[0] = { type: 'interrupted' };
    try {
      for await (const part of model.stream(request, { signal })) {
        reply.take(part);
        if (part.type === 'end') end = { type: 'whole' };
        yield part;
      }
    } catch (thrown) {
      if (!signal.aborted) end = { type: 'failed', thrown };
      throw thrown;
    } finally {
      write({ ...before, ...reply.step(end) }, request.sessionId);
    }
  }

  return { ...factsOf(model), stream: (request, { signal }) => stream(request, signal) };
}

/**
 * All of a model but what it is asked by, whether it is an object or of a class. Not that its provider counts a task's tokens
 * for it: told of them by messages instead, it is told so again when the recording is played.
 */
function factsOf(model: Model): Omit<Model, 'stream'> {
  const { name, limits, price, input, thinksAdaptively, keySource, secrets } = model;
  return {
    name,
    ...(limits && { limits }),
    ...(price && { price }),
    ...(input && { input }),
    ...(thinksAdaptively !== undefined && { thinksAdaptively }),
    ...(keySource !== undefined && { keySource }),
    ...(secrets && { secrets }),
    ...(model.countTokens && { countTokens: model.countTokens.bind(model) }),
    ...(model.close && { close: model.close.bind(model) }),
  };
}

interface Conversations {
  /** What the step of a request says before its reply. */
  enter(request: ModelRequest): JsonObject;
}

interface Conversation {
  readonly name: string | undefined;
  messages: readonly ModelMessage[];
}

function createConversations({ before }: RecordingFile, file: string): Conversations {
  const known = new Map<string, Conversation>();
  let count = before === undefined ? 0 : new Set(before.steps.map(({ said }) => said.conversation)).size;

  const begin = (request: ModelRequest): { conversation: Conversation; goesOn: boolean } => {
    const earlier = before === undefined ? undefined : recordedUpTo(before, countReplies(request));
    if (before !== undefined && earlier === undefined)
      throw new RondoError(
        'input.invalid',
        `${file} is there already and does not hold this conversation up to here. Remove it to record anew, or name another file.`,
        { details: { file } },
      );
    if (earlier !== undefined) return { conversation: { name: earlier.name, messages: [] }, goesOn: true };
    count += 1;
    return { conversation: { name: count === 1 ? undefined : String(count), messages: [] }, goesOn: false };
  };

  return {
    enter(request) {
      const id = request.sessionId ?? '';
      const found = known.get(id);
      const { conversation, goesOn } = found === undefined ? begin(request) : { conversation: found, goesOn: false };
      known.set(id, conversation);
      const said = goesOn ? 'user' : whatIsNew(conversation.messages, request.messages);
      conversation.messages = request.messages;
      const name = conversation.name === undefined ? {} : { conversation: conversation.name };
      return said === 'nothing' ? name : { ...name, request: saidRequest(request, said) };
    },
  };
}

/** The conversation of an earlier recording that holds as many answers as this one. */
function recordedUpTo({ steps }: Script, replies: number): { readonly name: string | undefined } | undefined {
  if (replies === 0) return undefined;
  for (const [name, own] of Map.groupBy(steps, ({ said }) => said.conversation)) {
    if (own.filter(({ answers }) => answers).length === replies) return { name };
  }
  return undefined;
}

/** A request that is sent again says nothing new; one that goes on from the last, its last message; any other, all. */
function whatIsNew(last: readonly ModelMessage[], now: readonly ModelMessage[]): 'nothing' | 'user' | 'messages' {
  if (last.length === 0) return now.length === 1 ? 'user' : 'messages';
  if (now.length === last.length && isBeginningOf(last, now)) return 'nothing';
  const prefix = now.length === last.length ? last.slice(0, -1) : last;
  return now.length - prefix.length <= 2 && isBeginningOf(prefix, now) ? 'user' : 'messages';
}

function isBeginningOf(beginning: readonly ModelMessage[], whole: readonly ModelMessage[]): boolean {
  return beginning.every((message, index) => {
    const other = whole[index];
    return other !== undefined && (other === message || JSON.stringify(other) === JSON.stringify(message));
  });
}

function saidRequest(request: ModelRequest, said: 'user' | 'messages'): JsonObject {
  const settings = saidSettings(request);
  return {
    system: request.system,
    tools: saidTools(request),
    settings,
    ...(said === 'user'
      ? { user: saidByUser(request, request.messages.length - 1) }
      : { messages: saidMessages(request) }),
  };
}

function withoutAbove(request: JsonObject, above: Record<string, string>): JsonObject {
  const kept = Object.entries(request).filter(([name, value]) => {
    if (name === 'user' || name === 'messages') return true;
    const text = canonicalJson(value);
    const same = above[name] === text || (name === 'settings' && above[name] === undefined && text === '{}');
    above[name] = text;
    return !same;
  });
  return Object.fromEntries(kept);
}
