import type { AllowAnswer, DenyAnswer, JsonObject, JsonValue } from '@rondo/protocol';
import type { Asker } from '@rondo/runtime';
import { readPermissionAnswer } from '../options/permission-answer.ts';
import type { McpServers } from './mcp-servers.ts';

export interface PermissionPromptToolOptions {
  /** The tool's full name. */
  readonly name: string;
  readonly servers: McpServers;
  readonly timeoutMs: number | undefined;
}

/**
 * Asks a tool of a server. Only a clear yes lets a call run: an answer that cannot be read, a tool that fails, and one that
 * does not answer in time have denied it.
 */
export function permissionPromptTool({ name, servers, timeoutMs }: PermissionPromptToolOptions): Asker {
  return {
    name: 'permissionPromptTool',
    async ask({ request }, { signal }) {
      const question = { tool_name: request.tool.name, input: request.input, tool_use_id: request.toolCallId };
      try {
        const given = await withinTime(timeoutMs, signal, (stop) => answerOf(servers, name, question, stop));
        return await readPermissionAnswer(answerIn(given));
      } catch (error) {
        if (signal.aborted) return undefined;
        return denied(name, error instanceof Error ? error.message : String(error));
      }
    },
  } satisfies { name: string; ask(...of: Parameters<Asker['ask']>): Promise<AllowAnswer | DenyAnswer | undefined> };
}

function denied(name: string, why: string): DenyAnswer {
  return { type: 'deny', message: `The permission prompt tool ${name} gave no consent: ${why}` };
}

async function answerOf(
  servers: McpServers,
  name: string,
  question: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  const found = servers.find(name);
  if (found === undefined) throw new Error('no server has it');
  const connection = found.slot.reached();
  if (!('callTool' in connection)) throw new Error(connection.error);
  const problems = connection.problemsOf(found.tool, question) ?? [];
  if (problems.length > 0)
    throw new Error(
      `it does not take the question (${problems.map(({ path, message }) => `${path}: ${message}`).join('; ')})`,
    );
  return await connection.callTool(found.tool, question, { signal });
}

/** The answer stands as JSON in the first text, or as structured content. */
function answerIn(given: unknown): unknown {
  const { content, structuredContent, isError } = fieldsOf(given);
  const texts = (Array.isArray(content) ? content : []).map((block: unknown) => fieldsOf(block)['text']);
  const text = texts.find((each) => typeof each === 'string');
  if (isError === true) throw new Error(`it failed: ${text ?? 'without a word'}`);
  if (structuredContent !== undefined) return structuredContent;
  if (text === undefined) throw new Error('its answer has no text');
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new Error(`its answer is no JSON: ${text.slice(0, 200)}`);
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

async function withinTime<Value>(
  timeoutMs: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  const stop = (why: unknown): void => {
    controller.abort(why);
    over.reject(why);
  };
  const onAbort = (): void => stop(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop(new Error(`it did not answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work(controller.signal), over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
