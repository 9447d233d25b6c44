import type { Effort, Model, Thinking } from '@rondo/runtime';
import type { Settings } from '../settings/settings.ts';
import type { ChosenModel } from './session-models.ts';

/** What whoever steers a session at work has chosen, above its options and settings. Counts from the next turn on. */
export interface Steering {
  readonly model?: ChosenModel;
  readonly thinking?: Thinking;
  readonly effort?: Effort;
}

/** Steers a session at work. Each is done when it resolves, in the order of the calls; what it throws has changed nothing. */
export interface SessionSteering {
  /** The name of the model that the next turn would have. */
  modelName(): string;
  /** The model of the next turn; without a name, the one that options and settings say. */
  setModel(name: string | undefined): Promise<Model>;
  /** Null is what the session began with. */
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
  /**
   * Changes the settings of the program. Those on what may run count for the next call, all others from the next turn on.
   * @throws RondoError `input.invalid` for what cannot be changed, or not be read as meant.
   */
  applyFlagSettings(change: { readonly [Key in keyof Settings]?: Settings[Key] | null }): Promise<void>;
  /** Does this in the order of what steers the session. */
  inOrder<Value>(work: () => Promise<Value>): Promise<Value>;
}
