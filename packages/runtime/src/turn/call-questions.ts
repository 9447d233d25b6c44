import type {
  JsonObject,
  KnownOpenCallback,
  OpenCallback,
  OpenClientToolCall,
  OpenSignIn,
  SignInRequest,
} from '@rondo/protocol';
import { canonicalJson, ToolError } from '@rondo/protocol/values';
import { isoTime } from '../event/iso-time.ts';
import type { SignInOutcome, Tool, ToolResult } from '../tool/tool.ts';
import type { PlannedCall } from './planned-call.ts';
import type { TurnParts } from './turn-parts.ts';

/** What a call asks while it runs. Each question is found again under its ID after a restart. */
export interface CallQuestions {
  askClient(): Promise<ToolResult>;
  requestSignIn(requests: readonly SignInRequest[]): Promise<SignInOutcome>;
}

export function createCallQuestions(turn: TurnParts, call: PlannedCall, tool: Tool, input: JsonObject): CallQuestions {
  let signIns = 0;

  function common() {
    return {
      id: turn.newId(),
      sessionId: turn.sessionId,
      turnId: turn.turnId,
      openedAt: isoTime(turn.clock.now()),
    };
  }

  function clientQuestion(): OpenClientToolCall {
    const { name } = tool;
    return {
      type: 'client_tool',
      ...common(),
      title: tool.title ?? name,
      call: {
        callId: call.callId,
        toolCallId: call.block.toolCallId,
        toolId: name.includes('.') ? name : `client.${name}`,
        name,
        arguments: input,
      },
    };
  }

  function signInQuestion(requests: readonly SignInRequest[]): OpenSignIn {
    const title = `Sign in to ${requests.map(({ name, sourceId }) => name ?? sourceId).join(', ')}`;
    return { type: 'sign_in', ...common(), title, requests: [...requests], callId: call.callId };
  }

  /** The call's question of before a crash, unless it is about something else by now: then it is withdrawn. */
  function askedBefore<Question extends KnownOpenCallback>(
    before: Question | undefined,
    isSame: (before: Question) => boolean,
  ): Question | undefined {
    if (before === undefined || isSame(before)) return before;
    turn.withdraw(before.id);
    return undefined;
  }

  return {
    async askClient() {
      assertRunning(turn, call);
      if (turn.binding.unattended === 'deny')
        throw new ToolError(`Nobody is there to answer ${tool.name}: it runs in the program that uses the session.`);
      const before = questionsOf(turn, call.callId).filter((question) => question.type === 'client_tool');
      const isSame = (question: OpenClientToolCall): boolean =>
        canonicalJson(question.call.arguments) === canonicalJson(input);
      const outcome = await turn.ask(askedBefore(before.at(-1), isSame) ?? clientQuestion());
      if (outcome.type === 'closed') throw closedError(tool);
      const { result, content, error } = outcome.answer;
      if (error !== undefined) return { content: error, isError: true };
      const text = typeof result === 'string' ? result : JSON.stringify(result ?? null);
      return { content: content ?? text, ...(result === undefined ? {} : { structured: result }) };
    },
    async requestSignIn(requests) {
      const sources = checkSources(requests);
      assertRunning(turn, call);
      const place = signIns;
      signIns += 1;
      if (turn.binding.unattended === 'deny') return { connected: [], denied: sources };
      const before = questionsOf(turn, call.callId).filter((question) => question.type === 'sign_in');
      const isSame = (question: OpenSignIn): boolean =>
        question.requests.length === sources.length &&
        question.requests.every(({ sourceId }) => sources.includes(sourceId));
      const outcome = await turn.ask(askedBefore(before[place], isSame) ?? signInQuestion(requests));
      if (outcome.type === 'closed') throw closedError(tool);
      return { connected: [...outcome.answer.connected], denied: [...outcome.answer.denied] };
    },
  };
}

/** Withdraws what a call asked and nobody waits for any more. */
export function withdrawQuestions(turn: TurnParts, callId: string): void {
  for (const question of questionsOf(turn, callId))
    if (turn.state.callbacks.get(question.id)?.settled === false) turn.withdraw(question.id);
}

/** The questions of a call in the order of their opening, settled ones too. */
function questionsOf(turn: TurnParts, callId: string): (OpenSignIn | OpenClientToolCall)[] {
  const questions: (OpenSignIn | OpenClientToolCall)[] = [];
  for (const { callback } of turn.state.callbacks.values()) if (isOfCall(callback, callId)) questions.push(callback);
  return questions;
}

function isOfCall(callback: OpenCallback, callId: string): callback is OpenSignIn | OpenClientToolCall {
  if (callback.type === 'sign_in') return callback.callId === callId;
  return callback.type === 'client_tool' && callback.call.callId === callId;
}

/** A tool that does not know that its call has ended may go on asking. */
function assertRunning(turn: TurnParts, call: PlannedCall): void {
  const status = turn.state.active?.calls.get(call.callId)?.status;
  if (status === 'completed' || turn.signal.aborted || status === undefined)
    throw new ToolError('This call has ended, so that nothing can be asked for it any more.');
}

function closedError(tool: Tool): ToolError {
  return new ToolError(`The turn ended while ${tool.name} waited for an answer.`);
}

function checkSources(requests: readonly SignInRequest[]): string[] {
  const sources = requests.map(({ sourceId }) => sourceId);
  if (sources.length === 0 || new Set(sources).size !== sources.length)
    throw new TypeError('requestSignIn takes one request or more, each of another sourceId');
  return sources;
}
