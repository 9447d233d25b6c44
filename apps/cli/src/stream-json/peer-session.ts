import type { Query } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import type { ClientHooks } from './client-hooks.ts';
import type { ClientRequests, RequestFrame } from './client-requests.ts';
import type { ClientServers } from './client-servers.ts';
import type { ControlDesk } from './control-desk.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { AskingWatch, LeftQuestion } from './left-questions.ts';
import type { MessageQueue } from './message-queue.ts';
import type { SessionFacts } from './session-facts.ts';
import type { SessionStates } from './session-states.ts';

/** A query at work, and what it was started with. */
export interface Work {
  readonly query: Query;
  readonly hooks: ClientHooks;
  /** By `initialize`; otherwise without one. */
  readonly isInitialized: boolean;
  readonly left: readonly LeftQuestion[];
}

/** How far a session has come. */
export interface Course {
  work?: Promise<Work>;
  /** Questions are kept for the answer to `initialize` while one is being made. */
  isInitializing: boolean;
  hasResult: boolean;
  /** A message has gone to the session. */
  hasSent: boolean;
  /** No answer of the client can come any more. */
  isDeaf: boolean;
  /** The questions that the session was given up with. */
  leftOpen?: readonly RequestFrame[];
  exitCode: number;
}

/** What the session of one client is made of. */
export interface PeerSession {
  readonly request: ChatRequest;
  readonly context: CommandContext;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The client answers questions about calls. */
  readonly asksClient: boolean;
  readonly course: Course;
  readonly wire: FrameWriter;
  readonly write: FrameWriter['write'];
  readonly requests: ClientRequests;
  /** The questions about calls that are open. */
  questions(): readonly RequestFrame[];
  readonly asking: AskingWatch;
  readonly facts: SessionFacts;
  readonly states: SessionStates;
  readonly messages: MessageQueue;
  readonly servers: ClientServers;
  readonly desk: ControlDesk;
  readonly over: PromiseWithResolvers<void>;
}
