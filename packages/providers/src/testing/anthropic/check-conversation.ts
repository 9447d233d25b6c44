import { firstProblem, type Wire } from '../request-guards.ts';

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

/**
 * What is wrong with messages whose every block has its shape: roles, and every call answered at once, in order.
 */
export function checkConversation(messages: unknown, model: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  const turns: Turn[] = [];
  const problem = firstProblem(messages as readonly Wire[], (message, index) =>
    addMessage(turns, message, `messages.${index}`),
  );
  if (problem !== undefined) return problem;
  if (turns[0]?.role !== 'user') return 'messages.0: the first message must have the role user';
  return (
    firstProblem(turns, (turn) => firstProblem(turn.blocks, checkBlock)) ??
    checkPairs(turns) ??
    checkServerTools(turns) ??
    checkEnd(turns, model)
  );
}

function addMessage(turns: Turn[], { role, content }: Wire, place: string): string | undefined {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Wire[]);
  if (blocks.length === 0 || content === '') return `${place}.content: must not be empty`;
  const last = turns.at(-1);
  const joins = last !== undefined && last.role === role;
  const turn: Turn = joins ? last : { role: role as Turn['role'], place, blocks: [] };
  if (!joins) turns.push(turn);
  for (const [index, block] of blocks.entries()) turn.blocks.push({ place: `${place}.content.${index}`, block });
  return undefined;
}

function checkBlock({ place, block }: PlacedBlock): string | undefined {
  const { content } = block;
  const silent = content === undefined || content === '' || (Array.isArray(content) && content.length === 0);
  return block['type'] === 'tool_result' && block['is_error'] === true && silent
    ? `${place}.content: must not be empty when is_error is true`
    : undefined;
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

/**
 * A call of the vendor's own tools has its result behind it. Without one it may only wait for what the request is sent
 * for: at the very end, or before the results of the calls beside it.
 */
function checkServerTools(turns: readonly Turn[]): string | undefined {
  let open: readonly PlacedBlock[] = [];
  for (const { role, blocks } of turns) {
    if (role === 'user') {
      if (open[0] !== undefined && blocks[0]?.block['type'] !== 'tool_result') return unanswered(open[0]);
      continue;
    }
    const before = open;
    for (const placed of blocks) {
      const { type, tool_use_id: answered } = placed.block;
      if (type === 'server_tool_use' || type === 'mcp_tool_use') open = [...open, placed];
      if (!String(type).endsWith('_tool_result')) continue;
      const call = open.find(({ block }) => block['id'] === answered);
      if (call === undefined) return `${placed.place}.tool_use_id: ${String(answered)} names no call before it`;
      open = open.filter((each) => each !== call);
    }
    const late = open.find((call) => before.includes(call));
    if (late !== undefined) return unanswered(late);
  }
  return undefined;
}

function unanswered({ place, block }: PlacedBlock): string {
  return `${place}: ${String(block['name'])} with the id ${String(block['id'])} has no result block behind it`;
}

/** Models since 4.6 take no reply that somebody has begun for them, only one that waits for tools of the vendor. */
const takesNoBeginning = /^claude-((fable|mythos|opus|sonnet|haiku)-5|(opus|sonnet)-4-[6-8])/;

function checkEnd(turns: readonly Turn[], model: unknown): string | undefined {
  const last = turns.at(-1);
  const end = last?.blocks.at(-1);
  if (last?.role !== 'assistant' || end === undefined) return undefined;
  const waits = last.blocks.some(
    ({ block }) => block['type'] === 'server_tool_use' || block['type'] === 'mcp_tool_use',
  );
  if (!waits && takesNoBeginning.test(String(model)))
    return 'This model does not support assistant message prefill. The conversation must end with a user message.';
  const text = end.block['text'];
  if (typeof text !== 'string' || text === text.trimEnd()) return undefined;
  return `${end.place}: the last assistant message must not end with white space`;
}
