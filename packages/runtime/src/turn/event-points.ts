import type { Binding } from './binding.ts';
import type * as callHooks from './event-call-hooks.ts';
import type * as displayHooks from './event-display-hooks.ts';
import type * as turnHooks from './event-turn-hooks.ts';

type EventPoints = typeof turnHooks & typeof callHooks & typeof displayHooks;

let points: EventPoints | undefined;

/** Loads what runs hooks of the second face, where the binding has any. */
export async function loadEventPointsFor({ eventHooks = [] }: Pick<Binding, 'eventHooks'>): Promise<void> {
  if (eventHooks.length > 0) await loadEventPoints();
}

/** Programs without such a hook never do. */
export async function loadEventPoints(): Promise<void> {
  if (points !== undefined) return;
  const [turn, call, display] = await Promise.all([
    import('./event-turn-hooks.ts'),
    import('./event-call-hooks.ts'),
    import('./event-display-hooks.ts'),
  ]);
  points = { ...turn, ...call, ...display };
}

/** Where hooks of the second face run; undefined where the binding has none. */
export function eventPoints({ binding }: { readonly binding: Pick<Binding, 'eventHooks'> }): EventPoints | undefined {
  if ((binding.eventHooks ?? []).length === 0) return undefined;
  if (points === undefined) throw new Error('the hooks of this turn have not been loaded');
  return points;
}
