import { randomUUID } from 'node:crypto';
import type { PermissionMode, SDKMessage } from '@rondo/sdk';

export type SessionState = 'idle' | 'running' | 'requires_action';

/** What a session's lines tell of it. */
export interface SessionFacts {
  readonly sessionId: string | undefined;
  readonly state: SessionState;
  /** As lines have told it. */
  readonly permissionMode: PermissionMode | undefined;
  /** Calls whose result has not been shown. */
  readonly openCalls: ReadonlySet<string>;
  /** Calls that were shown to a former client, and wait for an answer. */
  left(toolUseIds: readonly string[]): void;
  /** Resolves once the call has been shown. */
  untilShown(toolUseId: string): Promise<void>;
  /** A message was handed to the session. */
  sent(uuid: string): void;
  see(line: SDKMessage): void;
}

export interface SessionFactsOptions {
  readonly sessionId: string | undefined;
  /** Questions that are open. */
  readonly questions: () => number;
}

/** Needs the lines about messages (`commandLifecycle`): a message is at work from its sending to its end. */
export function createSessionFacts({ sessionId, questions }: SessionFactsOptions): SessionFacts {
  const messages = new Set<string>();
  const openCalls = new Set<string>();
  const facts: { sessionId: string | undefined; permissionMode?: PermissionMode | undefined } = { sessionId };
  const waiting = new Map<string, (() => void)[]>();
  let isTurnOpen = false;

  function opens(toolUseId: string): void {
    openCalls.add(toolUseId);
    for (const resolve of waiting.get(toolUseId) ?? []) resolve();
    waiting.delete(toolUseId);
  }

  function seeBlocks(line: Extract<SDKMessage, { type: 'assistant' | 'user' }>): void {
    const { content } = line.message;
    if (line.parent_tool_use_id !== null || typeof content === 'string') return;
    for (const block of content) {
      if (block.type === 'tool_use') opens(block.id);
      if (block.type === 'tool_result') openCalls.delete(block.tool_use_id);
    }
  }

  return {
    get sessionId() {
      return facts.sessionId;
    },
    get permissionMode() {
      return facts.permissionMode;
    },
    get state() {
      if (questions() > 0) return 'requires_action';
      return isTurnOpen || messages.size > 0 ? 'running' : 'idle';
    },
    openCalls,
    left: (toolUseIds) => toolUseIds.forEach(opens),
    untilShown: (toolUseId) =>
      new Promise((resolve) => {
        if (openCalls.has(toolUseId)) resolve();
        else waiting.set(toolUseId, [...(waiting.get(toolUseId) ?? []), resolve]);
      }),
    sent: (uuid) => void messages.add(uuid),
    see(line) {
      facts.sessionId = line.session_id ?? facts.sessionId;
      if (line.type === 'assistant' || line.type === 'user') return seeBlocks(line);
      if (line.type === 'result') {
        isTurnOpen = false;
        openCalls.clear();
      } else if (line.type === 'command_lifecycle') {
        if (line.state === 'completed' || line.state === 'cancelled') messages.delete(line.command_uuid);
      } else if (line.type === 'system' && line.subtype === 'init') {
        isTurnOpen = true;
        facts.permissionMode = line.permissionMode;
      } else if (line.type === 'system' && line.subtype === 'status') {
        facts.permissionMode = line.permissionMode ?? facts.permissionMode;
      }
    },
  };
}

/** Says each change of a session's state, for a client that asked to be told. The client does not hand these lines on. */
export function stateLines(facts: SessionFacts): (state?: SessionState) => SDKMessage[] {
  let told: SessionState = 'idle';
  return (state = facts.state) => {
    const { sessionId } = facts;
    // Before the session has a name nothing can be said of it.
    if (state === told || sessionId === undefined) return [];
    const begins = state === 'requires_action' && told === 'idle';
    told = state;
    const line = (said: SessionState): SDKMessage => ({
      type: 'system',
      subtype: 'session_state_changed',
      uuid: randomUUID(),
      session_id: sessionId,
      state: said,
      sdk_host_only: true,
    });
    return begins ? [line('running'), line(state)] : [line(state)];
  };
}
