import { narrowingPart } from '../settings/narrowing-part.ts';
import type { Settings } from '../settings/settings.ts';

/** Of settings what would let happen or run something: exactly what does not count without trust. */
export function wideningPart(settings: Settings): Settings {
  const widening: Record<string, unknown> = {};
  for (const path of narrowingPart(settings, { neutral: true }).leftOut) {
    let from: unknown = settings;
    let to = widening;
    const names = path.split('.');
    for (const [index, name] of names.entries()) {
      from = (from as Record<string, unknown>)[name];
      if (index === names.length - 1) to[name] = from;
      else to = (to[name] ??= {}) as Record<string, unknown>;
    }
  }
  return widening;
}
