import type { Binding } from '@rondo/runtime';
import type { SettingsPolicyFeed } from '../settings/live-policy.ts';
import type { SessionSteering } from './steering.ts';
import type { TrackedQuestions } from './tracked-questions.ts';

/** What `query()` runs with: its settings can be changed while it is at work, and each turn has them as they are then. */
export interface QueryBinding extends Binding {
  readonly livePolicy: SettingsPolicyFeed;
  readonly steering: SessionSteering;
  /** Where the program answers questions: those that it was asked. */
  readonly questions?: TrackedQuestions;
  /** Gives back what was loaded. */
  close(): Promise<void>;
}
