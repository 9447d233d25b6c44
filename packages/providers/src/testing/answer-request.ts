import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RecordedRequest } from './recorded-request.ts';
import { replyEvents } from './reply-events.ts';
import { isWire } from './request-guards.ts';
import { reply, type ReplyStep, type ScriptBlock, type StatusStep, type Step } from './script.ts';
import type { ThinkingSigner } from './thinking-signature.ts';
import { writeReply } from './write-reply.ts';

export interface AnswerOptions {
  readonly signer: ThinkingSigner;
  /** Called before the script breaks the connection. */
  readonly onBreak: () => void;
}

/** Does with the request what the step says. */
export async function answerRequest(
  step: Step,
  request: RecordedRequest,
  response: ServerResponse,
  { signer, onBreak }: AnswerOptions,
): Promise<void> {
  if (isBlocks(step)) return answerRequest(reply(step), request, response, { signer, onBreak });
  switch (step.type) {
    case 'reply':
      return answerReply(step, request, response, { signer, onBreak });
    case 'status':
      answerStatus(step, request, response);
      return;
    case 'reset':
      onBreak();
      response.socket?.resetAndDestroy();
      return;
    case 'mute':
      return;
  }
}

function answerReply(
  step: ReplyStep,
  request: RecordedRequest,
  response: ServerResponse,
  options: AnswerOptions,
): Promise<void> {
  const model = isWire(request.body) ? request.body['model'] : undefined;
  const requestModel = typeof model === 'string' ? model : 'unknown';
  const events = replyEvents(step, { signer: options.signer, requestText: request.text, requestModel });
  const headers = { 'request-id': requestId(request), ...step.headers };
  return writeReply(response, { ...step, headers }, events, options.onBreak);
}

function answerStatus(step: StatusStep, request: RecordedRequest, response: ServerResponse): void {
  const id = requestId(request);
  const body = step.body ?? JSON.stringify({ type: 'error', error: step.error, request_id: id });
  response.writeHead(step.status, { 'content-type': 'application/json', 'request-id': id, ...step.headers });
  response.end(body);
}

function requestId({ index, text }: RecordedRequest): string {
  return `req_${createHash('sha256').update(`${index}:${text}`).digest('hex').slice(0, 16)}`;
}

const stepTypes: ReadonlySet<string> = new Set(['reply', 'status', 'reset', 'mute']);

function isBlocks(step: Step): step is ScriptBlock | readonly ScriptBlock[] {
  return !('type' in step) || !stepTypes.has(step.type);
}
