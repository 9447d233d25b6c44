import type { JsonObject } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import { goOn, runInBackground } from './background-hooks.ts';
import { baseInput } from './base-input.ts';
import { decideEventHook } from './decide-event-hook.ts';
import type { EventHook, HookEvent, HookUsage } from './event-hook.ts';
import type { EventHookTurn } from './event-hook-turn.ts';
import { type EventOutcome, recordedEventOutcome } from './event-outcome.ts';
import { eventHookName, type EventPlace, type PlacedHook } from './event-place.ts';
import { eventRules } from './event-rule.ts';
import { completedFact, hookFields, isClosing, judgedHash } from './hook-facts.ts';
import { noticesOf } from './hook-notices.ts';
import { type HookVerdict, mergeAnswers, noVerdict } from './merge-answers.ts';

/** Whether such an event has hooks at all. */
export function hasEventHooks({ eventHooks = [] }: EventHookTurn['binding'], event: HookEvent): boolean {
  return eventHooks.some((hook) => hook.event === event);
}

/**
 * Runs all hooks of an event at once and gives what they come to, merged. What the log says that one decided there is
 * taken from it. Undefined when the turn was stopped meanwhile: then nothing was decided, whatever they still say. Never
 * throws for what a hook does.
 */
export async function runEventHooks(turn: EventHookTurn, place: EventPlace): Promise<HookVerdict | undefined> {
  if (!hasEventHooks(turn.binding, place.event)) return noVerdict;
  const input = inputOf(turn, place);
  const placed = await hooksFor(turn, place, input);
  // What a hook reads there is complete. What is shown on its way changes nothing in it.
  if (placed.length > 0 && place.event !== 'MessageDisplay') await turn.updateTranscripts?.();
  const { callId } = place;
  // Hooks of calls at work at once begin as it comes; in a replay, as they began.
  if (placed.length > 0 && callId !== undefined && turn.inOrder !== undefined) await turn.inOrder(callId);
  if (turn.signal.aborted) {
    for (const one of placed) notRun(turn, one);
    return undefined;
  }
  const awaited = placed.filter(({ hook }) => hook.background !== true && eventRules[place.event].unawaited !== true);
  // One in the background is begun once, also where the turn comes to its place again.
  const behind = placed.filter((one) => !awaited.includes(one) && turn.state.active?.hookRuns.has(one.hookId) !== true);
  const outcomes = new Map<PlacedHook, EventOutcome>();
  for (const one of awaited) {
    const recorded = recordedAt(turn, place, one.hookId);
    if (recorded !== undefined) outcomes.set(one, recorded);
  }
  const waiting = awaited.filter((one) => !outcomes.has(one));
  begin(turn, place, waiting, behind);
  for (const one of behind)
    void runInBackground(turn, { ...one, place, input }).then((isDecided) => {
      if (!isDecided) notRun(turn, one);
    });
  if (waiting.length === 0) return verdictOf(place, awaited, outcomes);

  let left = waiting.length;
  let verdict: HookVerdict | undefined;
  await Promise.all(
    waiting.map(async (one) => {
      const began = turn.clock.now();
      const paid: { usage?: HookUsage } = {};
      const onUsage = (usage: HookUsage): void => void (paid.usage = usage);
      const decided = await decideEventHook(turn, { ...one, place, input, onUsage });
      const durationMs = turn.clock.now() - began;
      left -= 1;
      if (decided === undefined) {
        notRun(turn, one);
        // Whose host closes is gone on with by another, which runs the hook again.
        if (paid.usage !== undefined || !isClosing(turn.signal))
          turn.emit([completedFact(turn, place, one, { paid, durationMs })]);
        return;
      }
      outcomes.set(one, decided.outcome);
      const facts = [
        completedFact(turn, place, one, { ...decided, paid, durationMs }),
        ...noticesOf(turn, place, one, decided),
      ];
      if (left === 0 && outcomes.size === awaited.length) {
        verdict = verdictOf(place, awaited, outcomes);
        facts.push(...(place.follow?.(verdict) ?? []));
      }
      turn.emit(facts);
      if (decided.later !== undefined) goOn(turn, { ...one, place, input }, decided.later);
    }),
  );
  return turn.signal.aborted ? undefined : verdict;
}

function inputOf(turn: EventHookTurn, place: EventPlace): JsonObject {
  // A copy: what a hook does with its input changes nothing.
  return structuredClone({ ...baseInput(turn, place.event), ...(place.input as unknown as JsonObject) });
}

/** Those that are about it, in their order. Where that cannot be told, a hook runs. */
async function hooksFor(turn: EventHookTurn, place: EventPlace, input: JsonObject): Promise<PlacedHook[]> {
  const { eventHooks = [] } = turn.binding;
  const { alias } = place;
  const isAbout = (hook: EventHook): boolean =>
    matches(hook, place.subject) || (alias !== undefined && matches(hook, alias));
  const matching = eventHooks.filter((hook) => hook.event === place.event && isAbout(hook));
  const placed = matching.map((hook): PlacedHook => {
    const name = eventHookName(hook);
    return { hook, name, hookId: `${place.event}/${place.id}/${name}` };
  });
  const due = placed.filter((one) => !isSpent(turn, one));
  for (const one of due) if (one.hook.once === true) running(turn).add(one.name);
  if (due.every(({ hook }) => hook.appliesTo === undefined)) return due;
  const applying = await Promise.all(due.map(async (one) => await applies(turn, one, input)));
  for (const [index, one] of due.entries()) if (applying[index] === false) notRun(turn, one);
  return due.filter((_, index) => applying[index] === true);
}

function matches(hook: EventHook, subject = ''): boolean {
  try {
    return hook.matches?.(subject) ?? true;
  } catch {
    return true;
  }
}

async function applies(turn: EventHookTurn, { hook, hookId }: PlacedHook, input: JsonObject): Promise<boolean> {
  const over = new AbortController();
  const late = turn.clock.sleep(hook.timeoutMs, { signal: over.signal }).then(
    () => true,
    () => true,
  );
  const stopped = Promise.withResolvers<boolean>();
  const onAbort = (): void => stopped.resolve(true);
  turn.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const asked = Promise.resolve().then(() => hook.appliesTo?.(structuredClone(input), { hookId }) ?? true);
    return (await Promise.race([asked.catch(() => true), late, stopped.promise])) !== false;
  } finally {
    turn.signal.removeEventListener('abort', onAbort);
    over.abort();
  }
}

const onceRunning = new WeakMap<object, Set<string>>();

/** Hooks that run once in a session and are at it, or were. */
function running({ state }: EventHookTurn): Set<string> {
  let names = onceRunning.get(state);
  if (names === undefined) onceRunning.set(state, (names = new Set()));
  return names;
}

/** Its one run has come to nothing, and is still to come. */
function notRun(turn: EventHookTurn, { hook, name }: PlacedHook): void {
  if (hook.once === true && !turn.state.hookStates.has(name)) running(turn).delete(name);
}

/** A hook of one run has had it, elsewhere in this session. */
function isSpent(turn: EventHookTurn, { hook, name, hookId }: PlacedHook): boolean {
  if (hook.once !== true || turn.state.active?.hookRuns.get(hookId)?.outcome !== undefined) return false;
  return turn.state.hookStates.has(name) || running(turn).has(name);
}

/** What the log says that a hook decided there, of these very arguments where it is about some. */
function recordedAt({ state, sha256 }: EventHookTurn, place: EventPlace, hookId: string): EventOutcome | undefined {
  const recorded = place.anew === true ? undefined : state.active?.hookRuns.get(hookId)?.outcome;
  if (recorded === undefined || recorded['type'] === 'interrupted') return undefined;
  // A tool may have other defaults after a crash, and what looked like a secret is not in the log.
  const isOfOthers = place.rewritable !== undefined && recorded['inputHash'] !== judgedHash(place.rewritable, sha256);
  return isOfOthers ? undefined : recordedEventOutcome(recorded);
}

function verdictOf(
  { event, rewritable }: EventPlace,
  awaited: readonly PlacedHook[],
  outcomes: ReadonlyMap<PlacedHook, EventOutcome>,
): HookVerdict {
  const said = awaited.flatMap((one) => {
    const outcome = outcomes.get(one);
    return outcome === undefined ? [] : [{ hook: one.name, outcome }];
  });
  return said.length === 0 ? noVerdict : mergeAnswers(event, said, rewritable);
}

function begin(
  turn: EventHookTurn,
  place: EventPlace,
  waiting: readonly PlacedHook[],
  behind: readonly PlacedHook[],
): void {
  const known = turn.state.active?.hookRuns;
  const facts = [...waiting, ...behind]
    .filter(({ hookId }) => known?.has(hookId) !== true)
    .map((one): EventDraft => ({ type: 'hook.started', ...hookFields(turn, place, one, behind.includes(one)) }));
  if (facts.length > 0) turn.emit(facts);
}
