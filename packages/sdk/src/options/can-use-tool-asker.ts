import type { AllowAnswer, DenyAnswer, JsonValue, OpenApproval } from '@rondo/protocol';
import type { Asker } from '@rondo/runtime';
import { rootIdOf } from '@rondo/runtime/node';
import type { CanUseTool } from './can-use-tool.ts';
import { readPermissionAnswer } from './permission-answer.ts';

export interface AskerOptions {
  /** Hears of answers that decide nothing. */
  readonly note: (text: string) => void;
}

/** The question, as far as it is put to the function. */
type Question = Pick<OpenApproval, 'id' | 'title' | 'request'> & Partial<Pick<OpenApproval, 'sessionId'>>;

/** Asks the program's own function. */
export function canUseToolAsker(canUseTool: CanUseTool, { note }: AskerOptions): Asker {
  return {
    name: 'canUseTool',
    ask: (callback, { signal }) => askCanUseTool(canUseTool, callback, { signal, note }),
  };
}

/**
 * Puts a question to the function. Only a clear yes lets a call run: a function that throws has denied it with its error's
 * message, an answer of another shape is an error that leaves the question open, and null leaves it open for whoever
 * answers by its ID.
 */
export async function askCanUseTool(
  canUseTool: CanUseTool,
  question: Question,
  { signal, note }: AskerOptions & { readonly signal: AbortSignal },
): Promise<AllowAnswer | DenyAnswer | undefined> {
  let answer: unknown;
  try {
    const { tool, input } = question.request;
    answer = await canUseTool(tool.name, inputRecord(input), askOptions(question, signal));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: 'deny', message: `canUseTool failed, so the call was denied: ${message}` };
  }
  if (answer !== null) return await readAnswer(answer);
  note(`canUseTool answered null: the question ${question.id} stays open until it is answered by its ID.`);
  return undefined;
}

function askOptions(callback: Question, signal: AbortSignal): Parameters<CanUseTool>[2] {
  const { request, sessionId } = callback;
  const { source } = request.tool;
  return {
    signal,
    toolUseID: request.toolCallId,
    requestId: callback.id,
    ...(request.suggestions === undefined ? {} : { suggestions: [...request.suggestions] }),
    ...(request.blockedPath === undefined ? {} : { blockedPath: request.blockedPath }),
    ...(request.reason === undefined ? {} : { decisionReason: request.reason }),
    ...(request.reasonType === undefined ? {} : { decisionReasonType: request.reasonType }),
    ...(request.tool.title === undefined ? {} : { displayName: request.tool.title }),
    title: callback.title,
    ...(sessionId === undefined || rootIdOf(sessionId) === sessionId ? {} : { agentID: sessionId }),
    ...(source === undefined ? {} : { mcpServer: { name: source, source: 'sdk' } }),
    ...(request.requiresPerson === true ? { requiresUserInteraction: true } : {}),
  };
}

/** A copy that the program may change: what runs is only what it gives back. */
function inputRecord(input: JsonValue): Record<string, unknown> {
  const copy: unknown = structuredClone(input);
  return typeof copy === 'object' && copy !== null && !Array.isArray(copy) ? (copy as Record<string, unknown>) : {};
}

async function readAnswer(answer: unknown): Promise<AllowAnswer | DenyAnswer> {
  try {
    return await readPermissionAnswer(answer);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new TypeError(`canUseTool must answer a question, or null: ${what}; the question stays open`, {
      cause: error,
    });
  }
}
