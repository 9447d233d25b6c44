import type {
  AnyEvent,
  BindingRecord,
  ContentBlock,
  HistoryEntry,
  Termination,
  PermissionMode,
  PermissionUpdate,
} from '@rondo/protocol';
import { cutText } from './cut-text.ts';
import type { StoredSession } from './event-store.ts';

/** Grows whenever the fold gives another summary for the same events: cached summaries of other versions are not used. */
export const SUMMARY_VERSION = 9;

const FIRST_PROMPT_CHARACTERS = 200;

/** What a list shows of a session, folded from its log. JSON, so that it can be cached and continued. */
export interface SessionSummary {
  readonly binding?: BindingRecord;
  readonly createdAt?: string;
  readonly turns: number;
  readonly title?: string;
  readonly tag?: string;
  readonly archived?: true;
  /** The mode that it was put in since it began. */
  readonly permissionMode?: PermissionMode;
  readonly firstPrompt?: string;
  readonly gitBranch?: string;
  readonly activeTurnId?: string;
  readonly lastTurnId?: string;
  /** When it last started or ended a turn. */
  readonly lastTurnAt?: string;
  readonly terminated?: boolean;
  readonly termination?: Termination;
  /** Open questions of the whole tree: a blocked descendant blocks what the root's list shows. */
  readonly openCallbacks: readonly string[];
  /** Messages that were accepted and that no turn has read, by their IDs. Absent where there is none. */
  readonly waiting?: readonly string[];
}

export const emptySummary: SessionSummary = { turns: 0, openCallbacks: [] };

/** The summary after one more event of the tree's log; the same object when nothing that it shows has changed. */
export function foldSummary(sessionId: string, summary: SessionSummary, event: AnyEvent): SessionSummary {
  if (event.type === 'callback.opened') return withCallback(summary, event.callback);
  if (event.type === 'callback.resolved') return withoutCallback(summary, event.callbackId);
  if (event.sessionId !== sessionId) return summary;
  switch (event.type) {
    case 'session.created':
      return {
        ...summary,
        binding: event.binding,
        createdAt: event.at,
        ...(event.title === undefined ? {} : { title: event.title }),
      };
    case 'session.updated':
      return withUpdate(summary, event);
    case 'turn.started':
      return {
        ...summary,
        // Whoever goes on with the session goes on with the model that it had last, and has the hooks that it had.
        ...(summary.binding && {
          binding: { ...summary.binding, model: event.binding.model, hooks: event.binding.hooks },
        }),
        turns: summary.turns + 1,
        activeTurnId: event.turnId,
        lastTurnId: event.turnId,
        lastTurnAt: event.at,
      };
    case 'turn.ended':
      return { ...withoutTurn(summary, event.turnId), lastTurnAt: event.at };
    case 'message.queued':
      return { ...summary, waiting: [...(summary.waiting ?? []), event.messageId] };
    case 'message.cancelled':
      return withoutWaiting(summary, event.messageId);
    case 'entry.added':
    case 'entry.completed': {
      const { entry } = event;
      const read = entry.type === 'message' && event.type === 'entry.completed' ? entry.messageId : undefined;
      const rest = withBranch(withoutWaiting(summary, read), entry);
      return rest.firstPrompt === undefined ? withPrompt(rest, entry) : rest;
    }
    default:
      return summary;
  }
}

/**
 * What a store answers about the session, undefined when its log does not say how it was created.
 * @param logBytes of the log, where it is a file.
 */
export function storedSession(
  sessionId: string,
  summary: SessionSummary,
  last: { readonly seq: number; readonly at: string },
  logBytes?: number,
): StoredSession | undefined {
  const {
    binding,
    createdAt,
    turns,
    title,
    tag,
    archived,
    permissionMode,
    firstPrompt,
    gitBranch,
    activeTurnId,
    lastTurnId,
    lastTurnAt,
    termination,
    waiting,
  } = summary;
  if (binding === undefined || createdAt === undefined) return undefined;
  return {
    sessionId,
    binding,
    createdAt,
    updatedAt: last.at,
    lastSeq: last.seq,
    turns,
    status: summaryStatus(summary),
    ...(title === undefined ? {} : { title }),
    ...(tag === undefined ? {} : { tag }),
    ...(archived === undefined ? {} : { archived }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(logBytes === undefined ? {} : { logBytes }),
    ...(activeTurnId === undefined ? {} : { activeTurnId }),
    ...(lastTurnId === undefined ? {} : { lastTurnId }),
    ...(lastTurnAt === undefined ? {} : { lastTurnAt }),
    ...(termination === undefined ? {} : { termination }),
    ...(waiting === undefined || summary.terminated === true ? {} : { messagesWait: true }),
  };
}

function summaryStatus(summary: SessionSummary): string {
  if (summary.terminated === true) return 'terminated';
  if (summary.activeTurnId === undefined) return 'waiting';
  return summary.openCallbacks.length > 0 ? 'blocked' : 'running';
}

function withCallback(
  summary: SessionSummary,
  callback: Extract<AnyEvent, { type: 'callback.opened' }>['callback'],
): SessionSummary {
  const id = callback.type === 'unknown' ? idOf(callback.raw) : callback.id;
  return id === undefined ? summary : { ...summary, openCallbacks: [...summary.openCallbacks, id] };
}

function withoutCallback(summary: SessionSummary, callbackId: string): SessionSummary {
  const openCallbacks = summary.openCallbacks.filter((id) => id !== callbackId);
  return openCallbacks.length === summary.openCallbacks.length ? summary : { ...summary, openCallbacks };
}

function withoutWaiting(summary: SessionSummary, messageId: string | undefined): SessionSummary {
  const { waiting: before, ...rest } = summary;
  if (messageId === undefined || before?.includes(messageId) !== true) return summary;
  const waiting = before.filter((id) => id !== messageId);
  return waiting.length === 0 ? rest : { ...rest, waiting };
}

function withUpdate(summary: SessionSummary, event: Extract<AnyEvent, { type: 'session.updated' }>): SessionSummary {
  const { tag: previousTag, archived: wasArchived = false, ...rest } = summary;
  const tag = event.tag === undefined ? previousTag : event.tag;
  const mode = modeSetBy(event.permissions ?? []);
  return {
    ...rest,
    ...(tag === undefined || tag === null ? {} : { tag }),
    ...((event.archived ?? wasArchived) ? { archived: true } : {}),
    ...(event.title === undefined ? {} : { title: event.title }),
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...(event.status === undefined ? {} : { terminated: event.status === 'terminated' }),
    ...(event.termination === undefined ? {} : { termination: event.termination }),
  };
}

/** The mode that the last of the updates to set one set. */
export function modeSetBy(updates: readonly PermissionUpdate[]): PermissionMode | undefined {
  for (let index = updates.length - 1; index >= 0; index -= 1) {
    const update = updates[index];
    if (update?.type === 'setMode') return update.mode;
  }
  return undefined;
}

function withoutTurn(summary: SessionSummary, turnId: string): SessionSummary {
  if (summary.activeTurnId !== turnId) return summary;
  const { activeTurnId: _ended, ...rest } = summary;
  return rest;
}

function withBranch(summary: SessionSummary, entry: HistoryEntry): SessionSummary {
  const isEnvironment = entry.type === 'message' && entry.role === 'context' && entry.kind === 'environment';
  if (!isEnvironment) return summary;
  const gitBranch = gitBranchIn(entry.content.map(blockText).join(''));
  if (gitBranch === summary.gitBranch) return summary;
  const { gitBranch: _before, ...rest } = summary;
  return gitBranch === undefined ? rest : { ...rest, gitBranch };
}

/** The branch that a text about a turn's surroundings names, in a line of its own: `Git branch: main`. */
export function gitBranchIn(environment: string): string | undefined {
  return /^Git branch: (.+)$/m.exec(environment)?.[1];
}

function withPrompt(summary: SessionSummary, entry: HistoryEntry): SessionSummary {
  if (entry.type !== 'message' || entry.role !== 'user') return summary;
  const text = entry.content.map(blockText).join(' ').trim();
  return text === '' ? summary : { ...summary, firstPrompt: cutText(text, FIRST_PROMPT_CHARACTERS) };
}

function blockText(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}

function idOf(raw: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null || !('id' in raw)) return undefined;
  return typeof raw.id === 'string' ? raw.id : undefined;
}
