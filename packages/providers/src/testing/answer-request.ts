import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RecordedRequest } from './recorded-request.ts';
import { reply, type ReplyStep, type ScriptBlock, type StatusStep, type Step } from './script.ts';
import type { ReasoningSigner } from './reasoning-signature.ts';
import type { ServerDialect } from './server-dialect.ts';
import { writeReply } from './write-reply.ts';

export interface AnswerOptions {
  readonly dialect: ServerDialect;
  readonly signer: ReasoningSigner;
  /** Called before the script breaks the connection. */
  readonly onBreak: () => void;
}

/** Does with the request what the step says. */
export async function answerRequest(
  step: Step,
  request: RecordedRequest,
  response: ServerResponse,
  options: AnswerOptions,
): Promise<void> {
  if (isBlocks(step)) return answerRequest(reply(step), request, response, options);
  switch (step.type) {
    case 'reply':
      return answerReply(step, request, response, options);
    case 'status':
      answerStatus(step, request, response, options.dialect);
      return;
    case 'reset':
      options.onBreak();
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
  const { dialect, signer, onBreak } = options;
  const path = request.path.split('?')[0] ?? '';
  const events = dialect.events(step, {
    signer,
    requestText: request.text,
    requestBody: request.body,
    requestModel: dialect.modelOf({ path, body: request.body }) ?? 'unknown',
  });
  const headers = { [dialect.requestIdHeader]: requestId(request), ...step.headers };
  return writeReply(response, { ...step, headers }, { dialect, events, onBreak });
}

function answerStatus(
  step: StatusStep,
  request: RecordedRequest,
  response: ServerResponse,
  dialect: ServerDialect,
): void {
  const id = requestId(request);
  const body = step.body ?? JSON.stringify(dialect.errorBody(step, id));
  response.writeHead(step.status, {
    'content-type': 'application/json',
    [dialect.requestIdHeader]: id,
    ...step.headers,
  });
  response.end(body);
}

function requestId({ index, text }: RecordedRequest): string {
  return `req_${createHash('sha256').update(`${index}:${text}`).digest('hex').slice(0, 16)}`;
}

const stepTypes: ReadonlySet<string> = new Set(['reply', 'status', 'reset', 'mute']);

function isBlocks(step: Step): step is ScriptBlock | readonly ScriptBlock[] {
  return !('type' in step) || !stepTypes.has(step.type);
}
