import type { FallbackModel } from '../model/fallback-model.ts';
import type { Model } from '../model/model.ts';
import type { RecordedEvents } from './recorded-events.ts';

/** The model that took over in the turn, where it did: from where the log says so, and at no other failure. */
export function recordedFallback(recorded: RecordedEvents, model: Model): FallbackModel | undefined {
  const name = takenOver(recorded) ?? nextTakeover(recorded);
  if (name === undefined) return undefined;
  return { name, takesOver: () => true, load: () => Promise.resolve(named(model, name)) };
}

function takenOver({ all, place }: RecordedEvents): string | undefined {
  let name: string | undefined;
  for (const event of all.slice(0, place())) {
    if (event.type === 'turn.started') name = undefined;
    if (event.type === 'model.retried') name = event.fallbackModel ?? name;
  }
  return name;
}

function nextTakeover(recorded: RecordedEvents): string | undefined {
  for (const event of recorded.ahead()) if (event.type === 'model.retried') return event.fallbackModel;
  return undefined;
}

/** The recorded model answers by its place in the log, whatever it is called. */
const named = (model: Model, name: string): Model =>
  Object.create(model, { name: { value: name, enumerable: true } }) as Model;
