import type { AnyEvent, BindingRecord, JsonValue, TurnRecord } from '@rondo/protocol';
import { ToolError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import { emptySessionState, type SessionState } from '../event/session-state.ts';
import { ancestorIdsOf, childSessionId, depthOf, parentIdOf } from '../event/session-tree-id.ts';
import { childrenOf, type TreeState } from '../event/tree-state.ts';
import type { Reconciliation, Tool, ToolContext, ToolResult } from '../tool/tool.ts';
import type { Binding, SubagentDefinition } from '../turn/binding.ts';
import type { TurnStop } from '../turn/turn-parts.ts';
import { copiedConversation } from './copied-conversation.ts';
import type { LiveSession } from './live-session.ts';
import type { SessionServices } from './session-services.ts';
import { defineSpawnTool, MAX_DEPTH, mayStartAgents, type SpawnInput } from './spawn-tool.ts';
import { subagentBinding } from './subagent-binding.ts';
import { subagentResult } from './subagent-result.ts';
import type { PlacedDraft } from './tree-writer.ts';

const MAX_RUNNING = 8;
const MAX_TOTAL = 64;

export interface AgentSpawnerOptions {
  readonly services: SessionServices;
  readonly tree: TreeState;
  readonly recordOf: (binding: Binding) => BindingRecord;
  /** Makes a session of the tree live. */
  readonly open: (state: SessionState) => LiveSession;
  /** The session, while it has not ended. */
  readonly live: (sessionId: string) => LiveSession | undefined;
  readonly record: (state: SessionState, turnId: string) => Promise<TurnRecord>;
  /** Values that are stored nowhere. */
  readonly keepSecrets: (binding: Binding) => void;
}

/** Starts subagents for calls of `agents.spawn`, one a call whatever happens in between. */
export interface AgentSpawner {
  /** The binding with the tool, where it has agents and the session is not too deep for them. */
  offered(sessionId: string, binding: Binding): Binding;
  /** The beginning of the sessions whose calls are started by these events, for the same batch. */
  begun(drafts: readonly EventDraft[]): PlacedDraft[];
  /** Whether a session is about to begin. */
  pending(): boolean;
  /** What a session of the tree works with, given its root's binding; undefined when an agent on the way is not defined. */
  bindingOf(state: SessionState, rootBinding: Binding): Binding | undefined;
}

/** A subagent's session before its call has started. */
interface Birth {
  readonly sessionId: string;
  readonly binding: Binding;
  readonly drafts: readonly EventDraft[];
}

export function createAgentSpawner(options: AgentSpawnerOptions): AgentSpawner {
  const { services, tree } = options;
  const { newId } = services;
  /** Sessions that calls have a place for, by call. Undefined while it is being prepared. */
  const births = new Map<string, Birth | undefined>();
  const bindings = new Map<string, Binding>();
  const offers = new WeakMap<Binding, Binding>();

  function offered(sessionId: string, binding: Binding): Binding {
    const { subagents = [] } = binding;
    if (!mayStartAgents(sessionId, binding)) return binding;
    let offer = offers.get(binding);
    if (offer === undefined) {
      offer = { ...binding, tools: [...binding.tools, spawnTool(binding, subagents)] };
      offers.set(binding, offer);
    }
    return offer;
  }

  function spawnTool(binding: Binding, subagents: readonly SubagentDefinition[]): Tool {
    const named = (name: string): SubagentDefinition => {
      const definition = subagents.find((one) => one.name === name);
      if (definition === undefined) throw new ToolError(`There is no agent ${name}.`);
      return definition;
    };
    return defineSpawnTool(subagents, {
      prepare: (input, context) => prepare(binding, named(input.agent), input, context),
      reconcile: (input, _prepared, context) => takeUp(binding, named(input.agent), context),
      run: ({ agent }, context) => result(agent, subagentOf(context), context),
    });
  }

  /** Keeps a place for the call's session and makes its first events ready: they are stored with the call's start. */
  async function prepare(
    parent: Binding,
    definition: SubagentDefinition,
    input: SpawnInput,
    context: ToolContext,
  ): Promise<JsonValue> {
    const { callId, sessionId: parentId, signal } = context;
    signal.throwIfAborted();
    const refusal = refusedByLimit(parent, parentId);
    if (refusal !== undefined) throw new ToolError(refusal);
    births.set(callId, undefined);
    signal.addEventListener('abort', () => births.delete(callId), { once: true });
    try {
      const sessionId = freeId(parentId, callId);
      const binding = subagentBinding(parent, definition);
      const turnId = newId();
      const drafts = await firstEvents({ parentId, sessionId, turnId, binding, input, context });
      if (births.has(callId)) births.set(callId, { sessionId, binding, drafts });
      return { sessionId, turnId };
    } catch (error) {
      births.delete(callId);
      throw error;
    }
  }

  function refusedByLimit({ subagentPolicy = {} }: Binding, parentId: string): string | undefined {
    const { maxRunning = MAX_RUNNING, maxDepth = MAX_DEPTH, maxTotal = MAX_TOTAL } = subagentPolicy;
    let running = births.size;
    for (const state of tree.sessions.values()) if (state !== tree.root && state.active !== undefined) running += 1;
    if (depthOf(parentId) >= maxDepth)
      return `An agent this far down starts no further agents (the limit is ${maxDepth}). Do the task yourself.`;
    if (running >= maxRunning)
      return `${running} agents of this session are at work, and no more than ${maxRunning} may be. Call again when one of them has finished, or do the task yourself.`;
    if (tree.sessions.size - 1 + births.size >= maxTotal)
      return `This session has started ${maxTotal} agents, and no more may be started. Do the task yourself.`;
    return undefined;
  }

  /** The same for the same call, so that it follows from what is recorded. */
  function freeId(parentId: string, callId: string): string {
    for (let attempt = 0; ; attempt += 1) {
      const id = childSessionId(parentId, services.sha256(attempt === 0 ? callId : `${callId}/${attempt}`));
      const isReserved = [...births.values()].some((birth) => birth?.sessionId === id);
      if (!tree.sessions.has(id) && !isReserved) return id;
    }
  }

  async function firstEvents(birth: {
    readonly parentId: string;
    readonly sessionId: string;
    readonly turnId: string;
    readonly binding: Binding;
    readonly input: SpawnInput;
    readonly context: ToolContext;
  }): Promise<EventDraft[]> {
    const { parentId, turnId, binding, input, context } = birth;
    const parent = tree.sessions.get(parentId) ?? tree.root;
    const record = options.recordOf(binding);
    const spawnedBy = { turnId: context.turnId, callId: context.callId };
    const limits = { ...binding.limits, ...remainingBudget(parent, binding) };
    const copied =
      input.copyConversation === true
        ? await copiedConversation({
            conversation: parent.conversation,
            untilEntryId: context.callId.slice(0, context.callId.lastIndexOf('#')),
            turnId: context.turnId,
            read: (after): AsyncIterable<AnyEvent> => services.store.read(tree.root.sessionId, { after }),
            newId,
          })
        : [];
    const environment = await binding.environment?.();
    const isKnown = input.copyConversation === true && environment === parent.environment;
    const text = (value: string) => [{ type: 'text' as const, text: value }];
    return [
      {
        type: 'session.created',
        binding: record,
        parentId,
        spawnedBy,
        ...(Object.keys(parent.inputs).length === 0 ? {} : { inputs: { ...parent.inputs } }),
      },
      ...copied,
      { type: 'turn.started', turnId, binding: record, ...(Object.keys(limits).length === 0 ? {} : { limits }) },
      ...(environment === undefined || environment === '' || isKnown
        ? []
        : [
            {
              type: 'entry.completed' as const,
              turnId,
              entry: {
                type: 'message' as const,
                id: newId(),
                role: 'context' as const,
                kind: 'environment',
                content: text(environment),
              },
            },
          ]),
      {
        type: 'entry.completed',
        turnId,
        entry: { type: 'message', id: newId(), role: 'user', messageId: newId(), content: text(input.task) },
      },
    ];
  }

  /** Agents that work at once draw on one budget: what is left of it when one begins is not its own. */
  function isSpentAbove(sessionId: string, moreUsd: number): boolean {
    return ancestorIdsOf(sessionId).some((ancestorId) => {
      const turn = tree.sessions.get(ancestorId)?.active;
      const budget = turn?.limits.maxBudgetUsd;
      return turn !== undefined && budget !== undefined && turn.costUsd + moreUsd >= budget;
    });
  }

  function subagentOf({ sessionId, callId }: ToolContext): SessionState | undefined {
    return childrenOf(tree, sessionId).find((child) => child.spawnedBy?.callId === callId);
  }

  /** After a crash the call finds the session that it had begun, which goes on, or has ended meanwhile. */
  async function takeUp(
    parent: Binding,
    definition: SubagentDefinition,
    context: ToolContext,
  ): Promise<Reconciliation> {
    const child = subagentOf(context);
    if (child === undefined) return { outcome: 'unknown', reason: `The session of agent ${definition.name} is lost.` };
    bindings.set(child.sessionId, subagentBinding(parent, definition));
    return { outcome: 'done', result: await result(definition.name, child, context) };
  }

  /** Works the subagent's turn to its end. A stop of the call is passed on. */
  async function result(agent: string, child: SessionState | undefined, context: ToolContext): Promise<ToolResult> {
    if (child?.lastTurnId === undefined) throw new ToolError(`The agent ${agent} could not be started.`);
    const turnId = child.lastTurnId;
    const session = options.live(child.sessionId);
    const binding = bindings.get(child.sessionId);
    if (child.active !== undefined && session !== undefined && binding !== undefined) {
      options.keepSecrets(binding);
      const stop = (): void => void session.stop((context.signal.reason as TurnStop).cause);
      if (session.runningTurnId() === undefined)
        session.run(turnId, offered(child.sessionId, binding), (more) => isSpentAbove(child.sessionId, more));
      if (context.signal.aborted) stop();
      else context.signal.addEventListener('abort', stop, { once: true });
      await session.settled();
      context.signal.removeEventListener('abort', stop);
    }
    bindings.delete(child.sessionId);
    return subagentResult(agent, await options.record(child, turnId));
  }

  return {
    offered,
    pending: () => births.size > 0,
    begun(drafts) {
      const begun: PlacedDraft[] = [];
      for (const draft of drafts) {
        if (draft.type !== 'tool.started' || !births.has(draft.callId)) continue;
        const birth = births.get(draft.callId);
        births.delete(draft.callId);
        if (birth === undefined) continue;
        const { sessionId } = birth;
        const state = emptySessionState(sessionId);
        tree.sessions.set(sessionId, state);
        bindings.set(sessionId, birth.binding);
        options.open(state);
        const paidFor = sumOfCosts(drafts);
        begun.push(...birth.drafts.map((first) => ({ sessionId, draft: withinBudget(first, paidFor) })));
      }
      return begun;
    },
    bindingOf,
  };

  function bindingOf(state: SessionState, rootBinding: Binding): Binding | undefined {
    if (state === tree.root) return rootBinding;
    const parentState = tree.sessions.get(parentIdOf(state.sessionId) ?? '');
    const parent = parentState === undefined ? undefined : bindingOf(parentState, rootBinding);
    const definition = parent?.subagents?.find(({ name }) => name === state.binding?.agent.name);
    return parent === undefined || definition === undefined ? undefined : subagentBinding(parent, definition);
  }
}

/** What of the parent's budget is left. @throws ToolError where nobody could say what the agent costs. */
function remainingBudget({ active }: SessionState, { model }: Binding): { readonly maxBudgetUsd?: number } {
  const budget = active?.limits.maxBudgetUsd;
  if (active === undefined || budget === undefined) return {};
  if (model.price === undefined)
    throw new ToolError(`This turn has a budget, and the price of this agent's model ${model.name} is not known.`);
  return { maxBudgetUsd: Math.max(budget - active.costUsd, 0) };
}

/** What the reply with the call cost is stored with the call's start, and was not known before. */
function withinBudget(draft: EventDraft, paidFor: number): EventDraft {
  if (draft.type !== 'turn.started' || draft.limits?.maxBudgetUsd === undefined) return draft;
  const maxBudgetUsd = Math.max(draft.limits.maxBudgetUsd - paidFor, 0);
  return { ...draft, limits: { ...draft.limits, maxBudgetUsd } };
}

function sumOfCosts(drafts: readonly EventDraft[]): number {
  let sum = 0;
  for (const draft of drafts) if (draft.type === 'model.completed') sum += draft.costUsd ?? 0;
  return sum;
}
