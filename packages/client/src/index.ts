export {
  connect,
  type Client,
  type ConnectOptions,
  type CreateSessionOptions,
  type ForkSessionOptions,
  type ListSessionsOptions,
  type OpenedSession,
  type OpenSessionOptions,
} from './client.ts';
export type {
  Busy,
  Queued,
  RunOptions,
  SendOptions,
  Session,
  SessionChanges,
  SessionOptions,
  StartOptions,
} from './session.ts';
export type { MessageOptions, Turn, TurnConflict } from './turn.ts';
export type { WaitOptions } from './wait/wait-for-turn.ts';
export type { EventsOptions } from './stream/session-events.ts';
export type { After } from './stream/position.ts';
export type { RequestOptions } from './connection/connection.ts';
export type { TurnInput, TurnInputBlocks } from './content/turn-content.ts';
export {
  allowApproval,
  denyApproval,
  signInAnswer,
  type AllowApproval,
  type AllowOptions,
  type Answer,
  type DenyApproval,
  type DenyOptions,
  type SignIn,
} from './answer/answer.ts';
