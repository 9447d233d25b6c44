export { connect, type ConnectOptions, type ConnectToHostOptions } from './connect.ts';
export type {
  Client,
  ClientOptions,
  CreateSessionOptions,
  ForkSessionOptions,
  ListSessionsOptions,
  OpenedSession,
  OpenSessionOptions,
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
export type { HistoryOptions } from './stream/session-history.ts';
export type { EventsOptions } from './stream/session-events.ts';
export type { After } from './stream/position.ts';
export type { RequestOptions } from './connection/connection.ts';
export type { ConnectionStatus } from './connection/connection-status.ts';
export type { ChannelOpener } from './connection/open-link.ts';
export { httpChannel, type HttpChannelOptions } from './channel/http-channel.ts';
export { webSocketChannel, type WebSocketChannelOptions } from './channel/web-socket-channel.ts';
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
export {
  historyMessage,
  historyReasoning,
  historySnapshot,
  historyToolCall,
  historyToolResult,
  type HistoryInput,
  type HistoryMessageFields,
  type HistorySnapshotFields,
  type HistoryToolCallFields,
  type HistoryToolResultFields,
} from './content/history-import.ts';
