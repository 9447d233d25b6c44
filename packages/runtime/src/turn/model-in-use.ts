import type { ModelFailure } from '../model/fallback-model.ts';
import type { Model } from '../model/model.ts';
import type { TurnParts } from './turn-parts.ts';

/** The model that the turn asks now: its own, or the one that took over in this turn, also behind a crash. */
export async function modelInUse({ binding, state }: TurnParts): Promise<Model> {
  const { fallback, model } = binding;
  if (fallback === undefined || state.active?.fallbackModel !== fallback.name) return model;
  return await fallback.load();
}

/** What is known of the other model while one request is made. */
export interface Takeover {
  /** It could not be loaded, which has been said. */
  isOut: boolean;
}

/** Who is asked next instead of the model that failed; undefined where nobody is. */
export async function nextModel(
  turn: TurnParts,
  model: Model,
  failure: ModelFailure,
  takeover: Takeover,
): Promise<Model | undefined> {
  const { fallback } = turn.binding;
  if (fallback === undefined || takeover.isOut || model.name === fallback.name) return undefined;
  if (!fallback.takesOver(failure)) return undefined;
  try {
    return await fallback.load();
  } catch (error) {
    takeover.isOut = true;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `${fallback.name} cannot take over from ${model.name}: ${reason}`;
    turn.emit([{ type: 'notice', turnId: turn.turnId, level: 'warning', message }]);
    return undefined;
  }
}
