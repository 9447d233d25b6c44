import type { OpenCallback } from '@rondo/protocol';
import { answerMisfit, isToolError, RondoError } from '@rondo/protocol/values';
import { isAnswer, isKeepOpen, type PlainAnswer, plainAnswer, type ToolValue } from '../answer/answer.ts';
import type { Connection } from '../connection/connection.ts';
import { isClientToolAnswers } from './client-tool-answers.ts';
import { clientToolResult } from './client-tool-result.ts';
import { type WorkEnd, workOn } from './callback-work.ts';
import { isPlatformTool, type KnownTools } from './known-tools.ts';
import type {
  AnswerableCallback,
  CallbackContext,
  ClientToolCall,
  ClientToolHandler,
  HandlerOptions,
  ToolErrors,
} from './handler-options.ts';

/** What a handle answers its session's questions with. */
export interface Handlers extends HandlerOptions {
  readonly toolErrors: ToolErrors;
  readonly tools: KnownTools;
}

export interface Answering {
  readonly connection: Connection;
  /** Names where the sessions are, the same for all clients of one place. */
  readonly home: string;
  readonly handlers: Handlers;
  /** Of the wait that asks. */
  readonly wait: number;
}

/** A question that a handler is at work on. */
export interface HandlerWork {
  readonly isClientTool: boolean;
  readonly outcome: Promise<WorkEnd>;
}

type Callback<Type extends AnswerableCallback['type']> = Extract<AnswerableCallback, { readonly type: Type }>;
type Task = { readonly handler: object; readonly run: () => Promise<WorkEnd> };

/** Puts an open question to the handler for its kind. `kept`: it is for others, since no handler is there or takes it. */
export function answerQuestion(answering: Answering, callback: OpenCallback): WorkEnd | HandlerWork {
  if (callback.type === 'unknown') return 'kept';
  const task = taskFor(answering, callback);
  if (task === undefined) return 'kept';
  const key = `${answering.home}/${callback.sessionId}/${callback.id}`;
  const work = workOn(key, { wait: answering.wait, ...task });
  return typeof work === 'string' ? work : { isClientTool: callback.type === 'client_tool', outcome: work };
}

function taskFor(answering: Answering, callback: AnswerableCallback): Task | undefined {
  const { onApproval, onSignIn } = answering.handlers;
  switch (callback.type) {
    case 'approval':
      if (onApproval === undefined) return undefined;
      return {
        handler: onApproval,
        run: () => decide(answering, callback, async () => await onApproval(contextOf(callback), callback.request)),
      };
    case 'sign_in':
      if (onSignIn === undefined) return undefined;
      return {
        handler: onSignIn,
        run: () => decide(answering, callback, async () => await onSignIn(contextOf(callback), callback.requests)),
      };
    case 'client_tool': {
      const answer = functionFor(answering.handlers, callback);
      if (answer === undefined) return undefined;
      return { handler: answer.key, run: () => callTool(answering, callback, answer.run) };
    }
  }
}

/** What a person decides. Whatever goes wrong, nothing is sent and the question stays open. */
async function decide(
  answering: Answering,
  callback: Callback<'approval' | 'sign_in'>,
  ask: () => Promise<unknown>,
): Promise<WorkEnd> {
  const given = await ask();
  if (isKeepOpen(given)) return 'kept';
  const answer = isAnswer(given) ? plainAnswer(given) : undefined;
  const problem = answer === undefined ? 'it gave no answer' : answerMisfit(callback, answer);
  if (answer === undefined || problem !== undefined) {
    const [handler, makers] =
      callback.type === 'approval'
        ? ['onApproval', 'allowApproval(), denyApproval() or keepCallbackOpen()']
        : ['onSignIn', 'signInAnswer() or keepCallbackOpen()'];
    throw new RondoError(
      'answer.unfit',
      `${handler} has to give ${makers} for question ${callback.id}: ${problem}; it stays open and nothing was sent`,
      { details: { callbackId: callback.id, sessionId: callback.sessionId } },
    );
  }
  await send(answering, callback, answer);
  return 'answered';
}

async function callTool(
  answering: Answering,
  callback: Callback<'client_tool'>,
  answer: ClientToolHandler,
): Promise<WorkEnd> {
  const { tools, toolErrors } = answering.handlers;
  let result: PlainAnswer;
  try {
    const value = await answer(callOf(callback));
    if (isKeepOpen(value)) return 'kept';
    result = await clientToolResult(value, tools.get(callback.call.toolId));
  } catch (error) {
    if (toolErrors === 'raise') throw error;
    result = { type: 'tool_result', error: messageOf(error) };
  }
  try {
    await send(answering, callback, result);
  } catch (cause) {
    const { id, sessionId, call } = callback;
    throw new RondoError(
      'answer.unsent',
      `the call of ${call.name} was answered, but its answer could not be sent; it stays open under ${id}`,
      { details: { callbackId: id, sessionId, toolId: call.toolId }, cause },
    );
  }
  return 'answered';
}

/** Whoever answered first counts; that it was not us is nobody's mistake. */
async function send({ connection }: Answering, callback: AnswerableCallback, answer: PlainAnswer): Promise<void> {
  await connection.request('callback/answer', { sessionId: callback.sessionId, callbackId: callback.id, answer });
}

function functionFor(
  { onClientTool, tools }: Handlers,
  callback: Callback<'client_tool'>,
): { readonly key: object; readonly run: ClientToolHandler } | undefined {
  if (isPlatformTool(callback.call.toolId)) return undefined;
  if (typeof onClientTool === 'function') return { key: onClientTool, run: onClientTool };
  if (isClientToolAnswers(onClientTool)) {
    const found = onClientTool.find(callOf(callback));
    return found === undefined ? undefined : { key: found, run: found };
  }
  const run = tools.get(callback.call.toolId)?.run;
  // The engine has held the arguments against the tool's schema.
  return run === undefined
    ? undefined
    : { key: run, run: async (call) => (await run(call.arguments as never, call)) as ToolValue };
}

function contextOf({ id, sessionId, turnId, title }: AnswerableCallback): CallbackContext {
  return { callbackId: id, sessionId, turnId, title };
}

function callOf({ id, sessionId, turnId, call }: Callback<'client_tool'>): ClientToolCall {
  const { toolCallId, toolId, name, arguments: args } = call;
  return { callbackId: id, sessionId, turnId, toolCallId, toolId, name, arguments: args };
}

/** What the model reads: a `ToolError` word for word. */
function messageOf(error: unknown): string {
  if (isToolError(error)) return error.message;
  return `The tool failed: ${error instanceof Error ? error.message : String(error)}`;
}
