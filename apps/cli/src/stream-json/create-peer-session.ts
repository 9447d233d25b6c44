import type { ChatRequest } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import type { TextWriter } from '../process/text-writer.ts';
import { createClientRequests, type RequestFrame } from './client-requests.ts';
import { createClientServers } from './client-servers.ts';
import { type ControlDeskOptions, createControlDesk } from './control-desk.ts';
import { createFrameWriter } from './frame-writer.ts';
import { leaveIfBlocked } from './leave-if-blocked.ts';
import { createAskingWatch } from './left-questions.ts';
import { createMessageQueue } from './message-queue.ts';
import type { Course, PeerSession } from './peer-session.ts';
import { createSessionFacts } from './session-facts.ts';
import { createSessionStates } from './session-states.ts';

export interface PeerParts {
  readonly request: ChatRequest;
  readonly context: CommandContext;
  readonly stdout: TextWriter;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** @param answer answers what the client asks. */
export function createPeerSession(
  { request, context, stdout, env = process.env }: PeerParts,
  answer: ControlDeskOptions['answer'],
): PeerSession {
  const wire = createFrameWriter({ stdout, onWrite: (frame) => context.debug.write('write', frame) });
  const { write } = wire;
  const course: Course = { isInitializing: false, hasResult: false, hasSent: false, isDeaf: false, exitCode: 0 };
  const over = Promise.withResolvers<void>();
  const requests = createClientRequests((frame) => sendRequest(session, frame));
  const questions = (): readonly RequestFrame[] => requests.open('can_use_tool');
  const asking = createAskingWatch({
    isAsked: (id) => course.hasSent || questions().some((frame) => frame.request_id === id),
    over: over.promise,
  });
  const facts = createSessionFacts({
    sessionId: request.forkSession ? request.sessionId : (request.sessionId ?? request.resume),
    questions: () => questions().length,
  });
  const states = createSessionStates({
    facts,
    write,
    areWanted: env['CLAUDE_CODE_SDK_READS_SESSION_STATE'] === '1',
  });
  const messages = createMessageQueue((uuid) => {
    course.hasSent = true;
    facts.sent(uuid);
    void states.tell();
  });
  const session: PeerSession = {
    request,
    context,
    env,
    asksClient: request.permissionPromptTool === 'stdio',
    course,
    wire,
    write,
    requests,
    questions,
    asking,
    facts,
    states,
    messages,
    servers: createClientServers(requests),
    desk: createControlDesk({ write, answer }),
    over,
  };
  return session;
}

/** Puts a request to the client. Questions of a session that was given up stay as they are, for another client. */
function sendRequest(session: PeerSession, frame: object): void {
  const { course, write, asking, states } = session;
  if (course.leftOpen !== undefined) return;
  if (!isQuestion(frame)) return void write(frame);
  asking.look();
  if (course.isInitializing) return;
  void states.tell();
  void write(frame);
  leaveIfBlocked(session);
}

function isQuestion(frame: object): boolean {
  const { request } = frame as { request?: { subtype?: string } };
  return request?.subtype === 'can_use_tool';
}
