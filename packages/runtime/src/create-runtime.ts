import type {
  AnyEvent,
  BindingRecord,
  CallbackAnswer,
  MethodParams,
  SessionBranched,
  SessionInfo,
  TurnInputBlock,
} from '@rondo/protocol';
import { encodeBase64, isRondoError, parseCursor, RondoError } from '@rondo/protocol/values';
import { systemClock, type Clock } from './event/clock.ts';
import type { EventDraft } from './event/event-draft.ts';
import type { EventStore } from './event/event-store.ts';
import { importedEntry } from './event/imported-history.ts';
import { isDescendant, parentIdOf, rootIdOf } from './event/session-tree-id.ts';
import { spillEvent } from './event/spill-event.ts';
import { policyHash } from './permission/policy-hash.ts';
import { checkHooks } from './hook/loop-hook.ts';
import type { Runtime } from './runtime.ts';
import { placeOfEvent } from './session/branch-session.ts';
import { bindingRecordOf } from './session/binding-record.ts';
import { cursorPlace } from './session/cursor-place.ts';
import { customizedBinding } from './session/customized-binding.ts';
import { findQuestion } from './session/find-question.ts';
import { followSession } from './session/follow-session.ts';
import { forkEvents } from './session/fork-session.ts';
import { readHistory } from './session/history-reading.ts';
import { waitingMessage } from './session/cancel-message.ts';
import type { TurnMessage } from './session/keyed-send.ts';
import { creationHash, keyedSessionId, wasCreatedWith } from './session/keyed-session.ts';
import type { LiveTree } from './session/live-tree.ts';
import { readCatalog } from './session/read-catalog.ts';
import { recoverSessions } from './session/recover-sessions.ts';
import { listSessions, subagentsOf } from './session/session-list.ts';
import { sessionNotFound } from './session/session-not-found.ts';
import { createSessionOwner } from './session/session-owner.ts';
import { checkSessionInputs, storedFacts } from './session/session-inputs.ts';
import type { SessionServices } from './session/session-services.ts';
import { createUnbuiltProcedures } from './session/unbuilt-procedures.ts';
import { listTurns, recordOfTurn } from './session/turn-reading.ts';
import type { Binding } from './turn/binding.ts';

export interface RuntimeOptions {
  readonly store: EventStore;
  /** SHA-256 of the text's UTF-8 bytes, hexadecimal: the one thing that the engine takes from its platform's cryptography. */
  readonly sha256: (text: string) => string;
  /** Where a path really leads. Absent: as written, for hosts without a file system. */
  readonly resolvePath?: (path: string) => Promise<string>;
  /** The file system does not tell upper from lower case, so that rules must not either. */
  readonly foldCase?: boolean;
  readonly clock?: Clock;
  /** A new UUID. */
  readonly newId?: () => string;
  readonly random?: () => number;
  /** Names this host in the log. */
  readonly host?: { readonly id: string; readonly pid?: number };
}

const PAGE_EVENTS = 1000;
/** Characters of a page of events, and bytes of a part of a blob: what an answer may hold stays far below a frame's bound. */
const PAGE_SIZE = 4 * 1024 * 1024;
const PAGE_ITEMS = 200;
const PAGE_TURNS = 100;

/** An engine over a store. Nothing is opened before the first call that needs it. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { store, sha256 } = options;
  const newId = options.newId ?? (() => globalThis.crypto.randomUUID());
  const services: SessionServices = {
    store,
    clock: options.clock ?? systemClock,
    newId,
    random: options.random ?? Math.random,
    sha256: options.sha256,
    resolvePath: options.resolvePath ?? ((path) => Promise.resolve(path)),
    foldCase: options.foldCase ?? false,
    host: options.host ?? { id: newId() },
    spill: (sessionId, encoded) => spillEvent(encoded, (bytes) => store.blobs(sessionId).write(bytes)),
    readBlob: (sessionId, hash) => store.blobs(sessionId).read(hash),
  };
  const bindings = new Map<string, Binding>();
  const recordOf = (binding: Binding): BindingRecord =>
    bindingRecordOf(binding, policyHash(binding.policy, options.sha256));
  const owner = createSessionOwner({ services, recordOf });
  const { trees } = owner;
  let closed = false;

  function bindingOf(bindingId: string): Binding {
    const binding = bindings.get(bindingId);
    if (binding !== undefined) return binding;
    throw new RondoError('binding.not_found', `no binding ${bindingId} is registered in this runtime`, {
      details: { bindingId },
    });
  }

  function assertOpen(): void {
    if (closed) throw new RondoError('channel.closed', 'the runtime has been closed');
  }

  /** A subagent is told what to do by its parent alone. */
  function assertRoot(sessionId: string, procedure: string): void {
    if (parentIdOf(sessionId) === undefined) return;
    throw new RondoError(
      'session.procedure_unsupported',
      `${procedure} is not for subagents such as session ${sessionId}: turn to ${rootIdOf(sessionId)}`,
      { details: { sessionId, procedure } },
    );
  }

  /** Opens a stored session on first use, settling what a crash left, as whoever starts a turn was told to do. */
  async function treeFor(sessionId: string, bindingId: string): Promise<LiveTree> {
    assertOpen();
    const binding = bindingOf(bindingId);
    trees.use(bindingId, sessionId);
    return await (trees.get(sessionId) ?? trees.register(sessionId, owner.acquire(sessionId, binding, 'settle')));
  }

  /** What a session was last at work with, as its log says. */
  async function recordedBinding(sessionId: string): Promise<BindingRecord> {
    const { binding } = (await owner.read(sessionId)).state;
    if (binding === undefined) throw sessionNotFound(sessionId);
    return binding;
  }

  /** The place that a cursor names in a session's log, whoever owns it. */
  async function placeIn(sessionId: string, after: string | undefined): Promise<number> {
    const { cursor } = await owner.info(sessionId);
    return cursorPlace(sessionId, after, parseCursor(cursor)?.seq ?? 0);
  }

  /** What the cursor names of a session's conversation. */
  async function branchPlace(sessionId: string, cursor: string): Promise<SessionBranched['from']> {
    const place = await placeIn(sessionId, cursor);
    for await (const event of store.read(sessionId, { after: place - 1 })) return placeOfEvent(sessionId, event);
    return placeOfEvent(sessionId, undefined);
  }

  const readLog = (sessionId: string) => {
    const rootId = rootIdOf(sessionId);
    return (after: number): AsyncIterable<AnyEvent> => store.read(rootId, { after });
  };

  return {
    bind(binding, bindingId = newId()) {
      checkHooks(binding);
      bindings.set(bindingId, binding);
      return bindingId;
    },
    unbind(bindingId) {
      bindings.delete(bindingId);
      void trees.leave(bindingId);
    },
    binding: (bindingId) => bindings.get(bindingId),
    async createSession(params) {
      assertOpen();
      const binding = bindingOf(params.bindingId);
      const { idempotencyKey: key } = params;
      const sessionId =
        params.sessionId ?? (key === undefined ? newId() : keyedSessionId(binding.agent.name, key, sha256));
      const keyed = key === undefined ? undefined : { key, contentHash: creationHash(params, sha256) };
      // Of one that is stored, nothing is to be opened: whoever uses it meanwhile is not to find it being created.
      if (
        keyed !== undefined &&
        trees.get(sessionId) === undefined &&
        (await store.describe(sessionId)) !== undefined
      ) {
        if (await wasCreatedWith(store, sessionId, keyed)) return { sessionId };
        throw sessionExists(sessionId);
      }
      const known = trees.get(sessionId);
      if (known !== undefined) {
        await (await known).info();
        if (keyed !== undefined && (await wasCreatedWith(store, sessionId, keyed))) return { sessionId };
        throw sessionExists(sessionId);
      }
      const { agent = {} } = params;
      const session = {
        facts: {
          ...(Object.keys(agent).length === 0 ? {} : { customization: agent }),
          ...(params.title === undefined ? {} : { title: params.title }),
          ...(params.inputs === undefined ? {} : { inputs: params.inputs }),
          ...(keyed === undefined ? {} : { idempotencyKey: keyed.key, contentHash: keyed.contentHash }),
        },
        check: () => checkSessionInputs(binding, params.inputs),
        begins: (params.history ?? []).map(
          (entry): EventDraft => ({ type: 'entry.completed', entry: importedEntry(entry, newId()) }),
        ),
      };
      trees.use(params.bindingId, sessionId);
      try {
        const creating = async (): Promise<LiveTree> => {
          const record = recordOf(await customizedBinding(binding, agent));
          return await owner.create(sessionId, { ...session, record });
        };
        const tree = await trees.register(sessionId, creating());
        await tree.info();
      } catch (error) {
        // Another process, or this one before it was restarted, may have created it for the same key.
        if (keyed === undefined || !isRondoError(error, 'session.exists')) throw error;
        if (!(await wasCreatedWith(store, sessionId, keyed))) throw error;
      }
      return { sessionId };
    },
    async openSession(params) {
      assertOpen();
      const { sessionId, bindingId } = params;
      assertRoot(sessionId, 'session/open');
      const binding = bindingOf(bindingId);
      const from = params.after === undefined ? undefined : await branchPlace(sessionId, params.after);
      if (from !== undefined && params.unfinished !== 'settle')
        throw new RondoError('input.invalid', 'to go on from an earlier place, an unfinished turn has to be settled');
      trees.use(bindingId, sessionId);
      const known = trees.get(sessionId);
      if (known !== undefined) owner.assertSatisfied((await known).state.root, binding);
      const tree = await (known ?? trees.register(sessionId, owner.acquire(sessionId, binding, params.unfinished)));
      const openedAs = known === undefined ? tree.openedAs() : undefined;
      const taken = openedAs ?? (await tree.takeUp(binding, params.unfinished));
      const info = from === undefined ? taken : await tree.branch(from).then(() => tree.info());
      const parked = [...tree.state.root.parked.values()].flat();
      return {
        session: info,
        ...(info.activeTurnId === undefined ? {} : { openTurnId: info.activeTurnId }),
        ...(parked.length === 0 ? {} : { parked }),
      };
    },
    async forkSession(params) {
      assertOpen();
      const { bindingId } = params;
      const given = bindingId === undefined ? undefined : recordOf(bindingOf(bindingId));
      const sessionId = params.newSessionId ?? newId();
      const source = await owner.info(params.sessionId);
      const record = given ?? (await recordedBinding(params.sessionId));
      const kept = await storedFacts(store, params.sessionId);
      assertOpen();
      if (trees.get(sessionId) !== undefined) throw sessionExists(sessionId);
      const cursor = params.after ?? source.cursor;
      const until = cursorPlace(params.sessionId, cursor, parseCursor(source.cursor)?.seq ?? 0);
      const user = bindingId ?? newId();
      trees.use(user, sessionId);
      const facts = {
        ...kept,
        forkedFrom: { sessionId: params.sessionId, cursor },
        ...(params.title === undefined ? {} : { title: params.title }),
      };
      const fill = async (tree: LiveTree): Promise<void> => {
        const from = { store, sessionId: params.sessionId, until };
        const target = { sessionId, blobs: store.blobs(sessionId) };
        // A turn is read while the one before it is stored, so that a long session is never in memory whole.
        let stored: Promise<void> | undefined;
        for await (const drafts of forkEvents(from, target)) {
          await stored;
          stored = tree.emit(drafts).committed;
        }
        await tree.settleCutOff();
      };
      const tree = await trees.register(sessionId, owner.create(sessionId, { record, facts, fill }));
      await tree.info();
      if (bindingId === undefined) await trees.leave(user);
      return { sessionId };
    },
    async importSession({ sessionId, created, batches }) {
      assertOpen();
      const fill = async (tree: LiveTree): Promise<void> => {
        let stored: Promise<void> | undefined;
        for await (const { sessionId: ofBatch = sessionId, drafts } of batches) {
          if (ofBatch !== sessionId && !isDescendant(ofBatch, sessionId))
            throw new RondoError('input.invalid', `session ${ofBatch} is not below ${sessionId}`);
          await stored;
          stored = tree.emitIn(ofBatch, drafts).committed;
        }
        await stored;
      };
      if (created === undefined) {
        await owner.borrow(sessionId, async (tree) => {
          const { active } = tree.state.root;
          if (active === undefined) return await fill(tree);
          throw new RondoError('session.busy', `session ${sessionId} is at work; nothing can be added to it now`, {
            details: { sessionId, turnId: active.turnId },
          });
        });
        return { sessionId };
      }
      if (trees.get(sessionId) !== undefined) throw sessionExists(sessionId);
      const { binding: record, at, title, from } = created;
      const facts = {
        ...(at === undefined ? {} : { at }),
        ...(title === undefined ? {} : { title }),
        forkedFrom: { sessionId: from, cursor: `${from}:0` },
      };
      const user = newId();
      trees.use(user, sessionId);
      const tree = await trees.register(sessionId, owner.create(sessionId, { record, facts, fill }));
      await tree.info();
      await trees.leave(user);
      return { sessionId };
    },
    async *readTree(sessionId) {
      assertRoot(sessionId, 'a tree');
      await owner.info(sessionId);
      yield* store.read(sessionId, { after: 0 });
    },
    readSession: (params) => owner.info(params.sessionId),
    listSessions: (params) => listSessions({ owner, store }, params),
    listSubagents: async (params) => ({ sessions: await subagentsOf(owner, params.sessionId) }),
    async cancelSession({ sessionId }) {
      assertOpen();
      assertRoot(sessionId, 'session/cancel');
      if ((await owner.info(sessionId)).status === 'terminated') return {};
      await owner.borrow(sessionId, (tree) => tree.cancel());
      const tree = await trees.get(sessionId);
      if (tree !== undefined) await trees.giveUp(tree);
      return {};
    },
    async closeSession({ sessionId }) {
      assertOpen();
      assertRoot(sessionId, 'session/close');
      const tree = await trees.get(sessionId);
      if (tree === undefined) await owner.info(sessionId);
      else await trees.giveUp(tree);
      return {};
    },
    async recover({ bindingIds, signal }) {
      assertOpen();
      const served = new Map(bindingIds.map((bindingId) => [bindingId, bindingOf(bindingId)]));
      return await recoverSessions({ store, owner, bindings: served, recordOf, signal });
    },
    async updateSession(params) {
      assertOpen();
      const permissions = [...(params.permissions ?? [])];
      if (params.permissionMode !== undefined) {
        permissions.push({ type: 'setMode', mode: params.permissionMode, destination: 'session' });
      }
      const change = {
        ...(params.title === undefined ? {} : { title: params.title }),
        ...(params.tag === undefined ? {} : { tag: params.tag }),
        ...(params.archived === undefined ? {} : { archived: params.archived }),
        ...(permissions.length === 0 ? {} : { permissions }),
      };
      assertRoot(params.sessionId, 'session/update');
      const update = async (tree: LiveTree): Promise<SessionInfo> => {
        await tree.update(change);
        return await tree.info();
      };
      // Rules are checked against the policy of a binding; names need none.
      return permissions.length > 0
        ? await update(await owner.opened(params.sessionId))
        : await owner.borrow(params.sessionId, update);
    },
    async configureSession({ sessionId, bindingId, agent }) {
      assertOpen();
      assertRoot(sessionId, 'session/configure');
      const binding = bindingOf(bindingId);
      return await owner.borrow(sessionId, async (tree) => {
        owner.assertSatisfied(tree.state.root, binding);
        return { agent: await tree.configure(agent, binding) };
      });
    },
    async deleteSession(sessionId) {
      assertOpen();
      assertRoot(sessionId, 'session/delete');
      await trees.borrow(sessionId, async (tree) => {
        if (tree === undefined) return await store.remove(sessionId);
        throw new RondoError('session.in_use', `session ${sessionId} is open in this process; close it first`, {
          details: { sessionId },
        });
      });
    },
    async startTurn(params) {
      assertRoot(params.sessionId, 'turn/start');
      const tree = await treeFor(params.sessionId, params.bindingId);
      return await tree.startTurn(messageOf(params), bindingOf(params.bindingId));
    },
    async sendMessage(params) {
      assertRoot(params.sessionId, 'turn/send');
      const tree = await treeFor(params.sessionId, params.bindingId);
      return await tree.sendMessage(messageOf(params), params.delivery, bindingOf(params.bindingId));
    },
    async listMessages({ sessionId }) {
      const { state } = await owner.read(sessionId);
      return { messages: state.queue.map(waitingMessage) };
    },
    async cancelMessage({ sessionId, messageId }) {
      assertOpen();
      assertRoot(sessionId, 'message/cancel');
      return await owner.borrow(sessionId, (tree) => tree.cancelMessage(messageId));
    },
    async steerTurn(params) {
      assertOpen();
      assertRoot(params.sessionId, 'turn/steer');
      return await (await owner.opened(params.sessionId)).steer(params.turnId, messageOf(params));
    },
    async readTurn({ sessionId, turnId }) {
      const { tree, state } = await owner.read(sessionId);
      return await recordOfTurn(tree, state, turnId, readLog(sessionId));
    },
    async listTurns({ sessionId, before, limit = PAGE_TURNS }) {
      const { tree, state } = await owner.read(sessionId);
      return await listTurns(tree, state, { limit, before }, readLog(sessionId));
    },
    async listHistory({ sessionId, after, limit = PAGE_ITEMS }) {
      const place = await placeIn(sessionId, after);
      const events = store.read(rootIdOf(sessionId), { after: place });
      return await readHistory({ sessionId, events, cursor: after ?? `${sessionId}:0`, limit });
    },
    async interruptTurn({ sessionId, turnId }) {
      assertOpen();
      if (trees.get(rootIdOf(sessionId)) === undefined) {
        const { active } = (await owner.read(sessionId)).state;
        if (active?.turnId !== turnId)
          return { type: 'conflict', ...(active === undefined ? {} : { turnId: active.turnId }) };
      }
      return await owner.borrow(sessionId, (tree) => tree.interrupt(sessionId, turnId));
    },
    async answerCallback({ sessionId, callbackId, answer }, { by = 'client' } = {}) {
      assertOpen();
      if (trees.get(rootIdOf(sessionId)) === undefined) {
        const { tree, state } = await owner.read(sessionId);
        const found = findQuestion(tree, state, callbackId);
        // A session is taken over only where there is something to store.
        if ('outcome' in found) return found.outcome;
      }
      return await owner.borrow(sessionId, (tree) => tree.answer(sessionId, callbackId, callbackAnswerOf(answer), by));
    },
    async readEvents({ sessionId, after, limit = PAGE_EVENTS }) {
      const place = await placeIn(sessionId, after);
      const events: AnyEvent[] = [];
      let more = false;
      let size = 0;
      for await (const event of store.read(rootIdOf(sessionId), { after: place })) {
        if (event.sessionId !== sessionId) continue;
        size += JSON.stringify(event).length;
        more = events.length === limit || (events.length > 0 && size > PAGE_SIZE);
        if (more) break;
        events.push(event);
      }
      return { events, cursor: events[events.length - 1]?.id ?? after ?? `${sessionId}:0`, more };
    },
    subscribe: (sessionId, given) => followSession({ owner, store, assertOpen }, sessionId, given),
    async readBlob(params) {
      const offset = params.offset ?? 0;
      const length = Math.min(params.limit ?? PAGE_SIZE, PAGE_SIZE);
      // One byte more than is given says whether there is more.
      const read = await store.blobs(rootIdOf(params.sessionId)).read(params.hash, { offset, length: length + 1 });
      const bytes = read.subarray(0, length);
      return { data: encodeBase64(bytes), bytes: bytes.length, more: read.length > length };
    },
    readCatalog: (_params, { isVisible } = {}) => Promise.resolve(readCatalog(bindings, isVisible)),
    unbuilt: createUnbuiltProcedures(owner.info),
    async close() {
      if (closed) return;
      closed = true;
      await trees.closeAll();
      await store.close();
    },
  };
}

type MessageParams = Pick<MethodParams<'turn/start'>, 'content' | 'messageId' | 'idempotencyKey' | 'limits' | 'origin'>;

function messageOf(params: MessageParams): TurnMessage {
  const content = params.content.map(givenBlock);
  const { messageId, idempotencyKey, limits, origin } = params;
  return { content, messageId, idempotencyKey, limits, origin };
}

type GivenBlock = MessageParams['content'][number];

function givenBlock(block: GivenBlock): TurnInputBlock {
  return block.type === 'text' ? { ...block, text: block.text ?? '' } : block;
}

function callbackAnswerOf(answer: MethodParams<'callback/answer'>['answer']): CallbackAnswer {
  if (answer.type === 'allow') return { ...answer, scope: answer.scope ?? 'once' };
  if (answer.type !== 'tool_result') return answer;
  const { content, ...rest } = answer;
  return content === undefined ? rest : { ...rest, content: content.map(givenBlock) };
}

function sessionExists(sessionId: string): RondoError {
  return new RondoError('session.exists', `session ${sessionId} exists already`, { details: { sessionId } });
}
