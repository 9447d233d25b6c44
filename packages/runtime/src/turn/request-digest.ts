import type { JsonObject, JsonValue, RequestParts } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import type { Model, ModelMessage, ModelRequest, ToolSpecification } from '../model/model.ts';
import type { TurnParts } from './turn-parts.ts';

/** What names a request in the log: one hash of it all, and what it was made of that the log does not hold otherwise. */
export interface RequestDigest {
  readonly requestHash: string;
  readonly parts: RequestParts;
}

interface Digested {
  readonly messages: ModelMessage[];
  /** Of each message with all before it. */
  readonly chain: string[];
  /** How many of the messages hold what a model takes or does not take by its `input`. */
  heavy: number;
}

type Block = ModelMessage['content'][number];
type Hash = TurnParts['sha256'];

/** A conversation is digested as it grows: each of its messages once, however many requests it is in. */
const conversations = new WeakMap<TurnParts['context'], Digested>();
const blocks = new WeakMap<Block, string>();
const schemas = new WeakMap<JsonObject, string>();
const toolLists = new WeakMap<ToolSpecification, string>();

/** Sessions of one program mostly have one system prompt and one list of tools. */
interface LastHash {
  readonly text: string;
  readonly hash: string;
}
let lastSystem: LastHash | undefined;
let lastTools: LastHash | undefined;

function hashOnce(last: LastHash | undefined, text: string, sha256: Hash): LastHash {
  return last?.text === text ? last : { text, hash: sha256(text) };
}

/** Equal requests have equal digests, in whatever process. Cache marks are an adapter's own and not in a request yet. */
export function requestDigest(turn: TurnParts, model: Model, request: ModelRequest): RequestDigest {
  const { sha256 } = turn;
  const { messages, maxOutputTokens, thinking, effort, temperature, output } = request;
  const digested = digestMessages(turn, messages);
  const isShaped = digested.heavy > 0 || turn.state.quarantined.size > 0;
  const parts: RequestParts = {
    system: systemHash(request.system, sha256),
    tools: toolsHash(request.tools, sha256),
    messages: digested.chain.at(-1) ?? '',
    blocks: latestBlocks(messages, sha256),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(thinking === undefined ? {} : { thinking: { ...thinking } }),
    ...(effort === undefined ? {} : { effort }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(output === undefined ? {} : { output: schemaHash(output.schema, sha256) }),
    ...(isShaped && model.input !== undefined ? { input: jsonOf(model.input) } : {}),
  };
  return { requestHash: hashOfParts(parts, sha256), parts };
}

/** The request's hash, of its parts. `blocks` and `input` say nothing that `messages` does not. */
export function hashOfParts({ blocks: _blocks, input: _input, ...parts }: RequestParts, sha256: Hash): string {
  return sha256(canonicalJson(jsonOf(parts)));
}

function digestMessages({ context, sha256 }: TurnParts, messages: readonly ModelMessage[]): Digested {
  let digested = conversations.get(context);
  if (digested === undefined) conversations.set(context, (digested = { messages: [], chain: [], heavy: 0 }));
  let same = 0;
  while (same < messages.length && digested.messages[same] === messages[same]) same += 1;
  for (const gone of digested.messages.splice(same)) if (isHeavy(gone)) digested.heavy -= 1;
  digested.chain.length = same;
  for (const message of messages.slice(same)) {
    const { role } = message;
    const from = role === 'assistant' ? `${message.model}${message.paused === true ? ' paused' : ''}` : '';
    const content = message.content.map((block) => blockDigest(block, sha256)).join(' ');
    digested.chain.push(sha256(`${digested.chain.at(-1) ?? ''}\n${role} ${from}\n${content}`));
    digested.messages.push(message);
    if (isHeavy(message)) digested.heavy += 1;
  }
  return digested;
}

/** What is new in a step, so that a request that differs can be traced to what brought the difference. */
export function latestMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(Math.max(0, last));
}

function latestBlocks(messages: readonly ModelMessage[], sha256: Hash): string[] {
  return latestMessages(messages).flatMap(({ content }) =>
    content.map((block: Block) => blockDigest(block, sha256).slice(0, 16)),
  );
}

function blockDigest(block: Block, sha256: Hash): string {
  let digest = blocks.get(block);
  if (digest === undefined) blocks.set(block, (digest = sha256(canonicalJson(jsonOf(block)))));
  return digest;
}

const plain: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call', 'opaque']);

function isHeavy({ content }: ModelMessage): boolean {
  return content.some((block: Block) =>
    block.type === 'tool_result' ? block.content.some(({ type }) => type !== 'text') : !plain.has(block.type),
  );
}

function schemaHash(schema: JsonObject, sha256: Hash): string {
  let hash = schemas.get(schema);
  if (hash === undefined) schemas.set(schema, (hash = sha256(canonicalJson(schema))));
  return hash;
}

function systemHash(system: string, sha256: Hash): string {
  lastSystem = hashOnce(lastSystem, system, sha256);
  return lastSystem.hash;
}

function toolsHash(tools: readonly ToolSpecification[], sha256: Hash): string {
  const hashes = tools.map((tool) => {
    let hash = toolLists.get(tool);
    if (hash === undefined) toolLists.set(tool, (hash = sha256(canonicalJson(jsonOf(tool)))));
    return hash;
  });
  lastTools = hashOnce(lastTools, hashes.join('\n'), sha256);
  return lastTools.hash;
}

/** What these hold crosses the log and the wire as JSON. */
function jsonOf(value: object): { readonly [key: string]: JsonValue } {
  return value as { readonly [key: string]: JsonValue };
}
