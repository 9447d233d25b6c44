import { nearestNames } from '@rondo/protocol/values';
import { hookEvents, type HookEvent } from '@rondo/runtime';

export function isHookEvent(name: string): name is HookEvent {
  return (hookEvents as readonly string[]).includes(name);
}

/** The words that name the nearest event, to stand behind what is wrong with `name`. */
export function didYouMean(name: string): string {
  const [nearest] = nearestNames(name, hookEvents, 1);
  return nearest === undefined ? '' : `; ${nearest} is`;
}
