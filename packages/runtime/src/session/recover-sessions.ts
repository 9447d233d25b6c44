import { isRondoError } from '@rondo/protocol/values';
import type { EventStore, StoredSession } from '../event/event-store.ts';
import type { Binding } from '../turn/binding.ts';
import { missingForSession, missingForWaiting } from './binding-record.ts';
import type { SessionOwner } from './session-owner.ts';
import type { BindingRecord } from '@rondo/protocol';

/** What became of a session that was found unfinished. */
export interface RecoveredSession {
  readonly sessionId: string;
  /** `continued` here; `parked`: it waits for a host that has what is `missing`; `in_use`: another process has it. */
  readonly outcome: 'continued' | 'parked' | 'in_use';
  readonly missing?: readonly string[];
}

export interface RecoverOptions {
  readonly store: EventStore;
  readonly owner: SessionOwner;
  /** The bindings of the agents that are served here, by their IDs. */
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly recordOf: (binding: Binding) => BindingRecord;
  readonly signal?: AbortSignal | undefined;
}

const PAGE_SESSIONS = 500;

/** Takes up every unfinished session of the agents: continues what a binding satisfies, and parks the rest. */
export async function recoverSessions(options: RecoverOptions): Promise<RecoveredSession[]> {
  const { store, owner, bindings } = options;
  const recovered: RecoveredSession[] = [];
  const agents = new Set(Array.from(bindings.values(), (binding) => binding.agent.name));
  let before: string | undefined;
  do {
    const page = await store.list({ limit: PAGE_SESSIONS, ...(before === undefined ? {} : { before }) });
    for (const session of page.sessions) {
      if (options.signal?.aborted === true) return recovered;
      if (!isUnfinished(session) || !agents.has(session.binding.agent.name)) continue;
      if (owner.trees.get(session.sessionId) !== undefined) continue;
      recovered.push(await recoverSession(options, session));
    }
    before = page.next;
  } while (before !== undefined);
  return recovered;
}

/** A turn is at work, or messages were accepted that the death of a host kept from beginning one. */
function isUnfinished({ status, activeTurnId, messagesWait }: StoredSession): boolean {
  return status !== 'terminated' && (activeTurnId !== undefined || messagesWait === true);
}

/** What a turn needs beyond its session is found when the turn is taken up. */
function missingFor({ activeTurnId, binding }: StoredSession, offered: BindingRecord): string[] {
  return activeTurnId === undefined ? missingForWaiting(binding, offered) : missingForSession(binding, offered);
}

async function recoverSession(options: RecoverOptions, session: StoredSession): Promise<RecoveredSession> {
  const { owner, bindings } = options;
  const { sessionId } = session;
  let missing: readonly string[] = [];
  try {
    for (const [bindingId, binding] of bindings) {
      if (binding.agent.name !== session.binding.agent.name) continue;
      missing = missingFor(session, options.recordOf(binding));
      if (missing.length > 0) continue;
      missing = await continueWith(options, sessionId, bindingId, binding);
      if (missing.length === 0) return { sessionId, outcome: 'continued' };
      return { sessionId, outcome: 'parked', missing };
    }
    await park(owner, sessionId, missing);
    return { sessionId, outcome: 'parked', missing };
  } catch (error) {
    if (isRondoError(error, 'session.in_use')) return { sessionId, outcome: 'in_use' };
    throw error;
  }
}

/** What the binding lacks to go on with the turn. Then the session is given up, so that another host may have it. */
async function continueWith(
  { owner }: RecoverOptions,
  sessionId: string,
  bindingId: string,
  binding: Binding,
): Promise<readonly string[]> {
  const { trees } = owner;
  const tree = await trees.register(sessionId, owner.acquire(sessionId, binding, 'continue'));
  const missing = [...tree.state.root.parked.values()].flat();
  if (missing.length > 0) await trees.giveUp(tree);
  else trees.use(bindingId, sessionId);
  return missing;
}

/** Every start of a host comes here: what the log says already is not said again. */
async function park(owner: SessionOwner, sessionId: string, missing: readonly string[]): Promise<void> {
  const { state } = await owner.read(sessionId);
  // Messages that wait for a turn wait on: it is a turn that is parked.
  if (state.active === undefined) return;
  const said = state.parked.get(state.active.turnId);
  if (said?.join('\n') === missing.join('\n')) return;
  await owner.borrow(sessionId, (tree) => tree.park(missing));
}
