import { checkConversation } from './check-conversation.ts';
import { firstProblem, isText, isToolName, isWire, namePattern, type Wire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';

const mostCacheMarks = 4;

/**
 * What is wrong with a request by the rules of the public API reference, said with the place where it is wrong, or
 * undefined. It is as strict as the API in what it checks, and stricter about the order of tool results.
 */
export function checkRequest(body: unknown, signer: ReasoningSigner): string | undefined {
  if (!isWire(body)) return 'the body is not a JSON object';
  return (
    checkSettings(body) ??
    checkSystem(body['system']) ??
    checkTools(body['tools']) ??
    checkConversation(body['messages'], signer) ??
    checkCacheMarks(body) ??
    checkCharacters(body, 'body')
  );
}

function checkSettings(body: Wire): string | undefined {
  const { model, max_tokens: maxTokens, stream, thinking } = body;
  if (typeof model !== 'string' || model === '') return 'model: a model is required';
  if (!isCount(maxTokens) || maxTokens < 1) return 'max_tokens: a whole number of at least 1 is required';
  if (stream !== true) return 'stream: this server only streams';
  if (thinking === undefined) return undefined;
  if (!isWire(thinking)) return 'thinking: must be an object';
  if (thinking['type'] !== 'enabled') return undefined;
  const budget = thinking['budget_tokens'];
  if (!isCount(budget) || budget < 1024) return 'thinking.budget_tokens: must be at least 1024';
  return budget < maxTokens ? undefined : 'thinking.budget_tokens: must be less than max_tokens';
}

function checkSystem(system: unknown): string | undefined {
  if (system === undefined || typeof system === 'string') return undefined;
  if (!Array.isArray(system)) return 'system: must be a string or a list of text blocks';
  return firstProblem(system, (block, index) =>
    isWire(block) && block['type'] === 'text' && isText(block['text'])
      ? undefined
      : `system.${index}: must be a text block with text in it`,
  );
}

function checkTools(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return 'tools: must be a list';
  const names = new Set<unknown>();
  return firstProblem(tools, (tool, index) => {
    const place = `tools.${index}`;
    if (!isWire(tool)) return `${place}: must be an object`;
    const { name, input_schema: schema } = tool;
    if (!isToolName(name)) return `${place}.name: ${JSON.stringify(name)} does not match ${namePattern.source}`;
    if (names.has(name)) return `${place}.name: ${JSON.stringify(name)} is there twice: tool names must be unique`;
    names.add(name);
    return isWire(schema) && schema['type'] === 'object'
      ? undefined
      : `${place}.input_schema: must be a JSON Schema of type object`;
  });
}

function checkCacheMarks(body: Wire): string | undefined {
  let marks = 0;
  const visit = (value: unknown, place: string): string | undefined => {
    if (Array.isArray(value)) return firstProblem(value, (member, index) => visit(member, `${place}.${index}`));
    if (!isWire(value)) return undefined;
    if ('cache_control' in value) {
      const mark = value['cache_control'];
      marks += 1;
      if (!isWire(mark) || mark['type'] !== 'ephemeral') return `${place}.cache_control: must have the type ephemeral`;
      if (value['type'] === 'thinking' || value['type'] === 'redacted_thinking')
        return `${place}.cache_control: thinking takes no mark`;
    }
    return visit(value['content'], `${place}.content`);
  };
  const problem =
    visit(body['system'], 'system') ?? visit(body['tools'], 'tools') ?? visit(body['messages'], 'messages');
  if (problem !== undefined) return problem;
  return marks > mostCacheMarks ? `${marks} blocks have cache_control: at most ${mostCacheMarks} may` : undefined;
}

/** The API reads its bodies strictly: half a character, which JSON can spell, is no character. */
function checkCharacters(value: unknown, place: string): string | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : `${place}: the text holds half a surrogate pair`;
  if (Array.isArray(value)) return firstProblem(value, (member, index) => checkCharacters(member, `${place}.${index}`));
  if (!isWire(value)) return undefined;
  return firstProblem(Object.entries(value), ([key, member]) => checkCharacters(member, `${place}.${key}`));
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}
