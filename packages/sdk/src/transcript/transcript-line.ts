import type { SDKMessage, UUID } from '@rondo/protocol';

/** What every line about the conversation says of where it was said. */
interface Place {
  /** The line before it in its branch; null for the first. */
  parentUuid: string | null;
  uuid: UUID;
  /** ISO 8601. */
  timestamp: string;
  sessionId: string;
  /** In a subagent. */
  isSidechain: boolean;
  agentId?: string;
  cwd: string;
  version: string;
  /** Empty outside of git. */
  gitBranch: string;
  userType: 'external';
}

/** Something said, in the public shape of transcripts: one line a block of a reply, one a result, one a message of a person. */
export interface SaidLine extends Place {
  type: 'user' | 'assistant';
  message: Extract<SDKMessage, { type: 'user' | 'assistant' }>['message'];
  /** Of a result: the tool's own, for programs. */
  toolUseResult?: unknown;
  /** Said to the model on somebody's behalf. */
  isMeta?: boolean;
}

/** The title that a session got. The last one counts. */
export interface TitleLine {
  type: 'custom-title';
  customTitle: string;
  sessionId: string;
  uuid: UUID;
  timestamp: string;
}

/** The tag that a session got; empty for none. The last one counts. */
export interface TagLine {
  type: 'tag';
  tag: string;
  sessionId: string;
  uuid: UUID;
  timestamp: string;
}

/** A line of a transcript as Rondo writes it. Every one has a uuid of its own, the same whenever it is written. */
export type TranscriptLine = SaidLine | TitleLine | TagLine;
