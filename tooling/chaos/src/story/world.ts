/** Something that a tool did to the world. */
export interface Effect {
  /** Tool and order number, such as `charge 2`. */
  readonly what: string;
  readonly idempotencyKey: string;
}

/** What tools change outside the session: no power cut and no kill undoes it. */
export interface World {
  add(effect: Effect): void;
  effects(): readonly Effect[];
}

export function createWorld(before: readonly Effect[] = []): World {
  const effects = [...before];
  return { add: (effect) => void effects.push(effect), effects: () => effects };
}

export function countEffects(world: World, what: string): number {
  return world.effects().filter((effect) => effect.what === what).length;
}
