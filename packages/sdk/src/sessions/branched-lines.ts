import type { AnyEvent } from '@rondo/protocol';
import { branch, type LeftBehind } from '@rondo/runtime';
import { lineUuidsOfEvent } from '../message/line-uuids-of-event.ts';

/** A line, or the place that an event of the conversation stands at, whether or not it has a line. */
type Item<Line> = { readonly line: Line } | { readonly place: string };

/** Lines of a session as its newest branch has them: those that a branch left behind are not among them. */
export interface BranchedLines<Line> {
  /** Takes in an event, and the lines that a projection gave for it. */
  add(event: AnyEvent, lines: readonly Line[]): void;
  lines(): Line[];
}

export function createBranchedLines<Line extends { readonly uuid: string }>(): BranchedLines<Line> {
  const items: Item<Line>[] = [];
  const leftBehind: LeftBehind<Item<Line>>[] = [];
  const uuidsOf = new Map<string, readonly string[]>();

  return {
    add(event, lines) {
      for (const line of lines) items.push({ line });
      const said = lineUuidsOfEvent(event);
      if (said !== undefined) {
        const place = placeName(said.place);
        uuidsOf.set(place, said.uuids);
        items.push({ place });
      }
      if (event.type !== 'session.branched') return;
      const place = placeName(event.from);
      const uuids = uuidsOf.get(place) ?? [];
      branch(items, leftBehind, (item) => ('line' in item ? uuids.includes(item.line.uuid) : item.place === place));
    },
    lines: () => items.flatMap((item) => ('line' in item ? [item.line] : [])),
  };
}

/** A call is named by its entry and a number, so that no entry has the name of a call. */
export function placeName(place: {
  readonly entryId?: string | undefined;
  readonly callId?: string | undefined;
}): string {
  return place.callId ?? place.entryId ?? '';
}
