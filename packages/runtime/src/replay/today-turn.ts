import type { JsonValue, SessionEvent } from '@rondo/protocol';
import { applyEvent, textOf } from '../event/apply-event.ts';
import { systemClock } from '../event/clock.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { ActiveTurn, KeptState, SessionState } from '../event/session-state.ts';
import { createSessionPolicy } from '../session/session-policy.ts';
import type { Binding } from '../turn/binding.ts';
import type { TurnParts } from '../turn/turn-parts.ts';
import type { TodaysRun } from './compare-runs.ts';
import type { RecordedRun } from './recorded-runs.ts';
import type { ReplayWorld } from './replay-owner.ts';

export interface TodayTurnsOptions {
  readonly world: ReplayWorld;
  /** The session as its log has it, which stays so. */
  readonly state: SessionState;
}

export interface TodayTurnOptions {
  readonly active: ActiveTurn;
  readonly bound: Binding;
  /** When hooks are run that the log does not have there. */
  readonly at: string;
  /** Of the place. */
  readonly recorded: readonly RecordedRun[];
}

/** A turn in which today's hooks run, at one place of a recorded one. What they decide is held, and stored nowhere. */
export interface TodayTurn {
  readonly turn: TurnParts;
  /** What they have decided, in their order. */
  readonly runs: TodaysRun[];
}

/** @returns what makes such turns; hooks find in one what they kept in those before. */
export function createTodayTurns({ world, state }: TodayTurnsOptions) {
  const policyToday = createSessionPolicy(state);
  /** Of hooks that kept nothing then. */
  const kept = new Map<string, KeptState>();
  /** Of hooks that did, it is what the log has. */
  const keepers = new Set<string>();

  function stateNow({ active, recorded }: TodayTurnOptions): SessionState {
    const own = [...kept].filter(([hook]) => !keepers.has(hook) && !state.hookStates.has(hook));
    const hookRuns = new Map(recorded.map(({ hookId, startedAt }) => [hookId, { startedAt }]));
    return {
      ...state,
      hookStates: new Map([...state.hookStates, ...own]),
      active: { ...active, unanswered: [...active.unanswered], toolCalls: [...active.toolCalls], hookRuns },
    };
  }

  function keep({ name, state: told }: Pick<Completed, 'name' | 'state'>): void {
    if (told === null) kept.delete(name);
    else if (told !== undefined) kept.set(name, told);
  }

  return {
    /** What the log says that a hook keeps. */
    onRecorded(event: Completed): void {
      if (event.state !== undefined) keepers.add(event.name);
    },
    create(options: TodayTurnOptions): TodayTurn {
      const { active, bound, at } = options;
      let now = stateNow(options);
      const runs: TodaysRun[] = [];

      function emit(drafts: readonly EventDraft[]): { events: SessionEvent[]; committed: Promise<void> } {
        // Hooks that come after are to find what this one has put in place.
        if (drafts.some(({ type }) => type.startsWith('entry.')))
          Object.assign(now, { conversation: [...now.conversation] });
        const events = drafts.map((draft) => {
          const event = { ...draft, seq: now.seq + 1, id: 'today', at, sessionId: state.sessionId } as SessionEvent;
          applyEvent(now, event);
          return event;
        });
        for (const draft of drafts) {
          if (draft.type !== 'hook.completed') continue;
          keep(draft);
          const put = putBy(draft, drafts);
          runs.push({ hook: draft.name, outcome: draft.outcome, ...(put === undefined ? {} : { put }) });
        }
        return { events, committed: Promise.resolve() };
      }

      const never = new AbortController();
      const nothing = (): Promise<never> => Promise.reject(new Error('hooks that are judged ask nothing'));
      const turn: TurnParts = {
        sessionId: state.sessionId,
        turnId: active.turnId,
        state: now,
        // Hooks of the second face are not judged: what they decided is taken as it was.
        binding: { ...bound, model: named(bound.model, active.binding.model), eventHooks: [] },
        policy: () => policyToday(bound),
        context: { build: nothing },
        clock: { now: () => Date.parse(at), sleep: systemClock.sleep },
        newId: () => globalThis.crypto.randomUUID(),
        random: () => 0,
        sha256: world.sha256,
        signal: never.signal,
        stop: () => {},
        wholeItem: (item) => Promise.resolve(item),
        outputDirectory: '',
        transcriptPath: '',
        ownTranscriptPath: '',
        permissionFacts: () => [],
        emit,
        hold: () => {},
        shows: () => false,
        show: () => {},
        openReply: () => {},
        ask: nothing,
        withdraw: () => {},
        resolvePath: world.resolvePath,
        foldCase: world.foldCase,
        joining: () => [],
      };
      return { turn, runs };
    },
  };
}

type Completed = Pick<Extract<SessionEvent, { type: 'hook.completed' }>, 'name' | 'state' | 'outcome'>;

/** The model of today under the name of then: that is what hooks are told. */
function named(model: Binding['model'], name: string): Binding['model'] {
  return Object.create(model, { name: { value: name } }) as Binding['model'];
}

/** What a decision puts in place, by what is stored with it. Results are told by whoever has them. */
function putBy({ outcome }: Completed, drafts: readonly EventDraft[]): JsonValue | undefined {
  if (outcome['type'] !== 'continue') return undefined;
  if (outcome['replaced'] !== true) return outcome['arguments'];
  for (const draft of drafts) {
    if (draft.type !== 'entry.completed') continue;
    const { entry } = draft;
    if (entry.type === 'message') return entry.content as JsonValue;
    return entry.type === 'assistant' ? textOf(entry.content) : undefined;
  }
  return undefined;
}
