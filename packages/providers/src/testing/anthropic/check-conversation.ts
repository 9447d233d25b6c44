import { firstProblem, isText, isToolName, isWire, namePattern, type Wire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';

interface PlacedBlock {
  readonly place: string;
  readonly block: Wire;
}

/** Messages of one role that follow each other are one turn to the model. */
interface Turn {
  readonly role: 'user' | 'assistant';
  readonly place: string;
  readonly blocks: PlacedBlock[];
}

const userBlocks: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'tool_result',
  'container_upload',
]);
const resultBlocks: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'search_result']);
const idPattern = /^[a-zA-Z0-9_-]+$/;

/** What is wrong with the messages: roles, blocks, signatures, and every call answered at once, in order. */
export function checkConversation(messages: unknown, signer: ReasoningSigner): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  const turns: Turn[] = [];
  const problem = firstProblem(messages, (message, index) => addMessage(turns, message, `messages.${index}`));
  if (problem !== undefined) return problem;
  if (turns[0]?.role !== 'user') return 'messages.0: the first message must have the role user';
  return (
    firstProblem(turns, (turn) => firstProblem(turn.blocks, (placed) => checkBlock(turn.role, placed, signer))) ??
    checkPairs(turns) ??
    checkEnd(turns)
  );
}

function addMessage(turns: Turn[], message: unknown, place: string): string | undefined {
  if (!isWire(message)) return `${place}: must be an object`;
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant')
    return `${place}.role: ${JSON.stringify(role)} is neither user nor assistant`;
  const blocks: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks)) return `${place}.content: must be a text or a list of blocks`;
  if (blocks.length === 0) return `${place}.content: must not be empty`;
  const last = turns.at(-1);
  const turn: Turn = last?.role === role ? last : { role, place, blocks: [] };
  if (turn !== last) turns.push(turn);
  return firstProblem(blocks as readonly unknown[], (block, index) => {
    if (!isWire(block) || typeof block['type'] !== 'string')
      return `${place}.content.${index}: must be a block with a type`;
    turn.blocks.push({ place: `${place}.content.${index}`, block });
    return undefined;
  });
}

function checkBlock(role: Turn['role'], { place, block }: PlacedBlock, signer: ReasoningSigner): string | undefined {
  const type = block['type'];
  if (role === 'user' && !userBlocks.has(type)) return `${place}: a user message takes no ${String(type)} block`;
  if (role === 'assistant' && type === 'tool_result')
    return `${place}: tool_result blocks can only be in user messages`;
  switch (type) {
    case 'text':
      return isText(block['text']) ? undefined : `${place}.text: text blocks must contain more than white space`;
    case 'image':
    case 'document':
      return checkSource(block['source'], `${place}.source`);
    case 'tool_use':
      return checkToolUse(block, place);
    case 'tool_result':
      return checkToolResult(block, place);
    case 'thinking':
      return checkThinking(block, place, signer);
    case 'redacted_thinking':
      return isText(block['data']) ? undefined : `${place}.data: is required`;
    default:
      return undefined;
  }
}

function checkSource(source: unknown, place: string): string | undefined {
  if (!isWire(source)) return `${place}: is required`;
  if (source['type'] === 'url') return isText(source['url']) ? undefined : `${place}.url: is required`;
  if (source['type'] !== 'base64') return undefined;
  if (!isText(source['media_type'])) return `${place}.media_type: is required`;
  const data = source['data'];
  return typeof data === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? undefined : `${place}.data: is not base64`;
}

function checkToolUse(block: Wire, place: string): string | undefined {
  const { id, name, input } = block;
  if (typeof id !== 'string' || !idPattern.test(id))
    return `${place}.id: ${JSON.stringify(id)} does not match ${idPattern.source}`;
  if (!isToolName(name)) return `${place}.name: ${JSON.stringify(name)} does not match ${namePattern.source}`;
  return isWire(input) ? undefined : `${place}.input: must be an object`;
}

function checkToolResult(block: Wire, place: string): string | undefined {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (typeof id !== 'string') return `${place}.tool_use_id: is required`;
  if (isError !== undefined && typeof isError !== 'boolean') return `${place}.is_error: must be true or false`;
  const blocks: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  if (!Array.isArray(blocks)) return `${place}.content: must be a text or a list of blocks`;
  if (isError === true && (blocks.length === 0 || content === ''))
    return `${place}.content: must not be empty when is_error is true`;
  if (typeof content === 'string') return undefined;
  return firstProblem(blocks as readonly unknown[], (inner, index) => {
    const at = `${place}.content.${index}`;
    if (!isWire(inner) || !resultBlocks.has(inner['type']))
      return `${at}: a tool result takes text, images and documents`;
    return checkBlock('user', { place: at, block: inner }, neverSigned);
  });
}

const neverSigned: ReasoningSigner = { sign: () => '', remember: () => undefined, verify: () => false };

function checkThinking(block: Wire, place: string, signer: ReasoningSigner): string | undefined {
  const { thinking, signature } = block;
  if (typeof thinking !== 'string') return `${place}.thinking: is required`;
  if (typeof signature !== 'string') return `${place}.signature: is required`;
  return signer.verify(thinking, signature) ? undefined : `${place}.signature: invalid signature in thinking block`;
}

function checkPairs(turns: readonly Turn[]): string | undefined {
  const seen = new Set<unknown>();
  let open: readonly PlacedBlock[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      open = turn.blocks.filter(({ block }) => block['type'] === 'tool_use');
      const twice = open.find(({ block }) => seen.size === seen.add(block['id']).size);
      if (twice)
        return `${twice.place}.id: tool_use ids must be unique, and ${String(twice.block['id'])} was there before`;
      continue;
    }
    const problem = checkResults(turn, open);
    if (problem !== undefined) return problem;
    open = [];
  }
  if (open.length === 0) return undefined;
  return `${turns.at(-1)?.place}: tool_use ids without tool_result blocks right after them: ${idsOf(open, 'id')}`;
}

/** The results that a user turn must begin with: those of the calls before it, each once, in their order. */
function checkResults(turn: Turn, calls: readonly PlacedBlock[]): string | undefined {
  const results = turn.blocks.filter(({ block }) => block['type'] === 'tool_result');
  const leading = turn.blocks.slice(0, results.length);
  const expected = idsOf(calls, 'id');
  const found = idsOf(results, 'tool_use_id');
  const missing = calls.filter(({ block }) => !results.some((result) => result.block['tool_use_id'] === block['id']));
  if (missing.length > 0) {
    return `${turn.place}: tool_use ids without tool_result blocks right after them: ${idsOf(missing, 'id')}`;
  }
  if (found !== expected) {
    const stray = results.find(({ block }) => !calls.some((call) => call.block['id'] === block['tool_use_id']));
    if (stray)
      return `${stray.place}.tool_use_id: ${String(stray.block['tool_use_id'])} names no tool_use of the message before`;
    return `${turn.place}: the tool_result blocks (${found}) must come once each and in the order of their tool_use blocks (${expected})`;
  }
  const early = leading.find(({ block }) => block['type'] !== 'tool_result');
  return early ? `${early.place}: tool_result blocks must come before everything else in the message` : undefined;
}

function idsOf(blocks: readonly PlacedBlock[], field: string): string {
  return blocks.map(({ block }) => String(block[field])).join(', ');
}

function checkEnd(turns: readonly Turn[]): string | undefined {
  const last = turns.at(-1);
  const end = last?.blocks.at(-1);
  if (last?.role !== 'assistant' || end === undefined) return undefined;
  const text = end.block['text'];
  if (typeof text !== 'string' || text === text.trimEnd()) return undefined;
  return `${end.place}: the last assistant message must not end with white space`;
}
