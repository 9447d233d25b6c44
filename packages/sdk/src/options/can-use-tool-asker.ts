import type { AllowAnswer, DenyAnswer, JsonObject, JsonValue, OpenApproval, PermissionUpdate } from '@rondo/protocol';
import type { Asker } from '@rondo/runtime';
import type { CanUseTool } from './can-use-tool.ts';

export interface AskerOptions {
  /** Hears of answers that decide nothing. */
  readonly note: (text: string) => void;
}

/** The question, as far as it is put to the function. */
type Question = Pick<OpenApproval, 'id' | 'title' | 'request'>;

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
  const { request } = callback;
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
  };
}

/** A copy that the program may change: what runs is only what it gives back. */
function inputRecord(input: JsonValue): Record<string, unknown> {
  const copy: unknown = structuredClone(input);
  return typeof copy === 'object' && copy !== null && !Array.isArray(copy) ? (copy as Record<string, unknown>) : {};
}

async function readAnswer(answer: unknown): Promise<AllowAnswer | DenyAnswer> {
  const fields = typeof answer === 'object' && answer !== null ? (answer as Readonly<Record<string, unknown>>) : {};
  if (fields['behavior'] === 'deny') {
    const message = fields['message'];
    return {
      type: 'deny',
      ...(typeof message === 'string' ? { message } : {}),
      ...(fields['interrupt'] === true ? { interrupt: true } : {}),
    };
  }
  if (fields['behavior'] !== 'allow') {
    throw new TypeError(
      "canUseTool must answer { behavior: 'allow' }, { behavior: 'deny', message } or null; the question stays open",
    );
  }
  return {
    type: 'allow',
    scope: 'once',
    ...(fields['updatedInput'] === undefined ? {} : { updatedInput: jsonObject(fields['updatedInput']) }),
    ...(fields['updatedPermissions'] === undefined
      ? {}
      : { updatedPermissions: await updates(fields['updatedPermissions']) }),
  };
}

/** What cannot be stored as JSON must not run as something else. */
function jsonObject(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) return copy as JsonObject;
  throw new TypeError('canUseTool: updatedInput must be an object; the question stays open');
}

/** What is stored in the log changes every later decision: nothing goes there that is no update. */
async function updates(value: unknown): Promise<PermissionUpdate[]> {
  if (!Array.isArray(value)) {
    throw new TypeError('canUseTool: updatedPermissions must be a list; the question stays open');
  }
  if (value.length === 0) return [];
  const { PermissionUpdate } = await import('@rondo/protocol');
  return value.map((each, index) => {
    const read = PermissionUpdate.safeParse(each);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const where = ['updatedPermissions', index, ...(issue?.path ?? [])].join('.');
    throw new TypeError(`canUseTool: ${where} is no permission update (${issue?.message}); the question stays open`);
  });
}
