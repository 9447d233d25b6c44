import { checkConversation } from './check-conversation.ts';
import { checkThinking } from './check-thinking.ts';
import { countTokensShape, messagesShape } from './request-shape.ts';
import { checkCharacters, firstProblem, isWire, type Wire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { betaNames } from './beta-names.ts';

const mostCacheMarks = 4;

export interface CheckRequestOptions {
  /** The `anthropic-beta` header. */
  readonly beta?: string | undefined;
  /** A request to count its tokens, which takes fewer fields. */
  readonly counts?: boolean;
}

/**
 * What is wrong with a request by the rules of the public API reference, said with the place where it is wrong, or
 * undefined. It is as strict as the API in what it checks, and stricter about the order of tool results.
 */
export function checkRequest(
  body: unknown,
  signer: ReasoningSigner,
  { beta, counts = false }: CheckRequestOptions = {},
): string | undefined {
  if (!isWire(body)) return 'the body is not a JSON object';
  const shape = counts ? countTokensShape : messagesShape;
  return (
    shape(betaNames(beta))(body, '') ??
    (counts ? undefined : checkSettings(body)) ??
    checkTools(body['tools']) ??
    checkConversation(body['messages'], body['model']) ??
    checkThinking(body, signer) ??
    checkCacheMarks(body) ??
    checkCitations(body['messages']) ??
    checkCharacters(body, 'body')
  );
}

function checkSettings({ stream, thinking, temperature, max_tokens: maxTokens }: Wire): string | undefined {
  if (stream !== true) return 'stream: this server only streams';
  const thinks = isWire(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive');
  if (thinks && temperature !== undefined && temperature !== 1)
    return 'temperature: may only be set to 1 when thinking is enabled';
  if (!isWire(thinking) || thinking['type'] !== 'enabled') return undefined;
  return Number(thinking['budget_tokens']) < Number(maxTokens)
    ? undefined
    : 'thinking.budget_tokens: must be less than max_tokens';
}

const combinators: readonly string[] = ['oneOf', 'anyOf', 'allOf'];
const propertyPattern = /^[a-zA-Z0-9_.-]{1,64}$/;

function checkTools(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return undefined;
  const names = new Set<unknown>();
  return firstProblem(tools as readonly Wire[], ({ name, input_schema: schema }, index) => {
    const place = `tools.${index}`;
    if (names.has(name)) return `${place}.name: ${JSON.stringify(name)} is there twice: tool names must be unique`;
    names.add(name);
    return schema === undefined ? undefined : checkInputSchema(schema, `${place}.input_schema`);
  });
}

function checkInputSchema(schema: unknown, place: string): string | undefined {
  if (!isWire(schema) || schema['type'] !== 'object') return `${place}: must be a JSON Schema of type object`;
  const combinator = combinators.find((key) => schema[key] !== undefined);
  if (combinator !== undefined) return `${place}: takes no ${combinator} at the top level`;
  const properties = schema['properties'] ?? {};
  if (!isWire(properties)) return `${place}.properties: must be an object`;
  const odd = Object.keys(properties).find((key) => !propertyPattern.test(key));
  return odd === undefined
    ? undefined
    : `${place}.properties: ${JSON.stringify(odd)} does not match ${propertyPattern.source}`;
}

function checkCacheMarks(body: Wire): string | undefined {
  let marks = body['cache_control'] == null ? 0 : 1;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const member of value) visit(member);
    if (!isWire(value)) return;
    if (value['cache_control'] != null) marks += 1;
    visit(value['content']);
  };
  visit(body['system']);
  visit(body['tools']);
  visit(body['messages']);
  return marks > mostCacheMarks ? `${marks} blocks have cache_control: at most ${mostCacheMarks} may` : undefined;
}

/** Citations are on for every document of a request, or for none. */
function checkCitations(messages: unknown): string | undefined {
  let first: { readonly on: boolean; readonly place: string } | undefined;
  const visit = (value: unknown, place: string): string | undefined => {
    if (Array.isArray(value)) return firstProblem(value, (member, index) => visit(member, `${place}.${index}`));
    if (!isWire(value)) return undefined;
    if (value['type'] === 'document' || value['type'] === 'search_result') {
      const { citations } = value;
      const on = isWire(citations) && citations['enabled'] === true;
      if (first !== undefined && first.on !== on)
        return `${place}.citations: must be on for all documents or for none, and those of ${first.place} are ${first.on ? 'on' : 'off'}`;
      first ??= { on, place };
      return undefined;
    }
    // What the vendor's own tools found counts for nothing here.
    const type = value['type'];
    return typeof type === 'string' && type !== 'tool_result' ? undefined : visit(value['content'], `${place}.content`);
  };
  return visit(messages, 'messages');
}
