import { RondoError } from '@rondo/protocol/values';
import type { ModelMessage, ModelRequest, ToolResultBlock } from '@rondo/runtime';
import { renderSaid } from './render-difference.ts';
import { saidByUser } from './said-request.ts';
import type { HeldTexts, RequestExpectation } from './script-form.ts';

type Held = string | { readonly matches?: string };

/** Refuses a request that lacks what the step expects of it. @throws RondoError `model.request_invalid`. */
export async function checkExpectation(
  expected: RequestExpectation,
  request: ModelRequest,
  place: string,
): Promise<void> {
  const last = request.messages.at(-1);
  const problem =
    lacking('the system prompt', expected.system, request.system) ??
    lacking('the last user message', expected.user, textOf(last)) ??
    lackingTool(expected.tools, request) ??
    lackingResult(expected.results, last);
  if (problem === undefined) return;
  const said = await renderSaid(saidByUser(request, request.messages.length - 1));
  throw new RondoError('model.request_invalid', `${place} expects ${problem}. The request ends with:\n${said}`, {
    details: { reason: 'expectation_failed', place, problem },
  });
}

/** Whether a text holds all that it has to. */
export function holds(expected: HeldTexts, text: string): boolean {
  return listOf(expected).every((held) => isIn(held, text));
}

/** The texts of a user message, results left out. */
export function textOf(message: ModelMessage | undefined): string {
  if (message?.role !== 'user') return '';
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function lacking(what: string, expected: HeldTexts | undefined, text: string): string | undefined {
  const missing = expected === undefined ? undefined : listOf(expected).find((held) => !isIn(held, text));
  return missing === undefined ? undefined : `${what} to ${describe(missing)}`;
}

function lackingTool(expected: RequestExpectation['tools'], { tools }: ModelRequest): string | undefined {
  const missing = expected?.find((name) => tools.every((tool) => tool.name !== name));
  if (missing === undefined) return undefined;
  return `the tool ${missing} to be offered; there are ${tools.map(({ name }) => name).join(', ') || 'none'}`;
}

function lackingResult(expected: RequestExpectation['results'], message: ModelMessage | undefined): string | undefined {
  if (expected === undefined) return undefined;
  const results =
    message?.role === 'user'
      ? message.content.filter((block): block is ToolResultBlock => block.type === 'tool_result')
      : [];
  if (results.length !== expected.length)
    return `${expected.length} ${expected.length === 1 ? 'result' : 'results'} of calls; there are ${results.length}`;
  for (const [index, held] of expected.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const {
      error,
      holds: part,
      matches,
    }: { error?: boolean; holds?: string; matches?: string } = typeof held === 'string' ? { holds: held } : held;
    const wanted: Held[] = [...(part === undefined ? [] : [part]), ...(matches === undefined ? [] : [{ matches }])];
    const missing = wanted.find((each) => !isIn(each, text));
    if (missing !== undefined) return `result ${index + 1} to ${describe(missing)}`;
    if (error !== undefined && error !== result.isError)
      return `result ${index + 1} to be ${error ? 'a failure' : 'no failure'}`;
  }
  return undefined;
}

function listOf(expected: HeldTexts): readonly Held[] {
  return Array.isArray(expected) ? (expected as readonly Held[]) : [expected as Held];
}

function isIn(held: Held, text: string): boolean {
  return typeof held === 'string' ? text.includes(held) : new RegExp(held.matches ?? '', 'mu').test(text);
}

function describe(held: Held): string {
  return typeof held === 'string' ? `hold ${JSON.stringify(held)}` : `match /${held.matches ?? ''}/`;
}
