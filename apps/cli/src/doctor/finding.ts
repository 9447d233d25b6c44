/** `problem`: something that was asked for does not work. `notice`: something is left out, or could be better. */
export type FindingState = 'ok' | 'notice' | 'problem';

/** What was found out about one thing. */
export interface Finding {
  readonly about: string;
  readonly state: FindingState;
  /** What is so; several lines where there is a list. */
  readonly says: readonly string[];
  /** How to change it. */
  readonly fix?: string;
}
