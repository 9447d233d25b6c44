import type { JsonObject } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { HookDecided } from './decide-event-hook.ts';
import type { EventHookTurn } from './event-hook-turn.ts';
import { eventRules } from './event-rule.ts';
import type { EventPlace } from './event-place.ts';

/** What people are told of a run: what the hook has for them, that it failed, that it ended the turn. */
export function noticesOf(
  turn: EventHookTurn,
  place: EventPlace,
  { name, hookId }: { readonly name: string; readonly hookId: string },
  { outcome, notices = [] }: HookDecided,
  background = false,
): EventDraft[] {
  const tell = (level: 'info' | 'warning', message: string, more: JsonObject = {}): EventDraft => {
    const { toolUseId } = place;
    const about = { hook: name, hookId, hookEvent: place.event, ...(toolUseId === undefined ? {} : { toolUseId }) };
    const details = { ...about, ...(background ? { background } : {}), ...more };
    return { type: 'notice', turnId: turn.turnId, level, message, details };
  };
  const facts = notices.map((message) => tell('warning', `${name}: ${message}`));
  if (outcome.type === 'failed') {
    const closes = eventRules[place.event].failsClosed === true && !outcome.failOpen && !background;
    const counts = outcome.failOpen ? 'it counts as a hook without an opinion' : 'what it is about goes on';
    facts.push(tell('warning', `The hook "${name}" ${outcome.message}; ${closes ? 'so it is denied' : counts}`));
    return facts;
  }
  const { systemMessage, stopReason } = outcome.answer;
  if (systemMessage !== undefined && systemMessage !== '') facts.push(tell('info', systemMessage));
  if (outcome.answer.continue === false && eventRules[place.event].endsTurn === true && !background)
    facts.push(tell('warning', stopReason ?? `The hook "${name}" stopped the turn.`, { preventContinuation: true }));
  return facts;
}
