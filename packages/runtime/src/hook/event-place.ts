import type { JsonObject } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { EventHook } from './event-hook.ts';
import type { EventOutcome } from './event-outcome.ts';
import type { EventInput } from './hook-input.ts';
import type { HookVerdict } from './merge-answers.ts';

/** What an event is about, and where. */
export type EventPlace = EventInput & {
  /** Names it, the same over restarts. */
  readonly id: string;
  /** What hooks are matched by. */
  readonly subject?: string;
  /** Another name of it, under which hooks hear of it too: that of the tool which the one called stands for. */
  readonly alias?: string;
  readonly callId?: string;
  readonly toolUseId?: string;
  /** What is judged may be another one than before a crash, under the same name: what was decided then does not count. */
  readonly anew?: boolean;
  /** The arguments that hooks may rewrite. */
  readonly rewritable?: JsonObject;
  /** Most time that a hook has, whatever it says. */
  readonly mostMs?: number;
  /** Whether the turn is over by what one hook came to. */
  readonly ends?: (outcome: EventOutcome) => boolean;
  /** What follows from the verdict, stored in one batch with it. Not asked again where the log has it already. */
  readonly follow?: (verdict: HookVerdict) => readonly EventDraft[];
};

/** One hook at one place. */
export interface PlacedHook {
  readonly hook: EventHook;
  readonly name: string;
  readonly hookId: string;
}

/** The name under which the log knows a hook: it begins with its event. */
export function eventHookName({ name, event }: EventHook): string {
  return name.startsWith(`${event}/`) || name === event ? name : `${event}/${name}`;
}
