import type { Options, Query, SDKMessage, SDKUserMessage } from '@rondo/sdk';
import type { ScriptFile, ScriptStep } from '@rondo/providers/scripted';

/** What a scenario is played on: a folder of its own, and what its program was asked there. */
export interface Stage {
  readonly project: string;
  /** Notes that a function of the program was called, and with what. */
  note(what: string, ...details: readonly unknown[]): void;
  /** The session of an episode, the first one unless said. */
  sessionId(episode?: number): string;
  /** The lines of an episode so far. */
  lines(episode?: number): readonly SDKMessage[];
}

/** A line that has at least these members, or one of which a function says so. */
export type Wanted = Readonly<Record<string, unknown>>;

type MethodName = {
  [Name in keyof Query]: Query[Name] extends (...input: never[]) => Promise<unknown> ? Name : never;
}[keyof Query];
export type SteeringMethod = Exclude<MethodName & string, 'next' | 'return' | 'throw' | 'streamInput' | 'leave'>;

/** What a program with a streaming prompt does, one after the other; then its stream ends. */
export type Act =
  | { readonly say: string | SDKUserMessage }
  /** Waits for that many lines of the kind, counted from the episode's beginning. */
  | { readonly until: Wanted; readonly times?: number }
  /** Waits until there is a file of the project, by which a command or a function tells that it is at work. */
  | { readonly appears: string }
  /** Calls a method; what it gives, or the error's message, is compared too. */
  | { readonly call: SteeringMethod; readonly with?: readonly unknown[] }
  /** Writes a file of the project, such as one that a step of the model waits for. */
  | { readonly write: string; readonly text?: string };

export interface Expectation {
  /** The results, in order: each has at least these members. */
  readonly results?: readonly Wanted[];
  /** Lines that there are, in this order, others between them. */
  readonly lines?: readonly Wanted[];
  /** Kinds of lines of which there is none. */
  readonly without?: readonly string[];
  /** What the program was asked, in order and whole: each has at least these. */
  readonly asked?: readonly (readonly unknown[])[];
  /** What methods gave, in order. */
  readonly answers?: readonly unknown[];
  /** What the iteration throws, in process. */
  readonly throws?: RegExp;
  readonly files?: Readonly<Record<string, string | null>>;
}

/** One `query()`. */
export interface Episode {
  readonly prompt: string | readonly Act[];
  readonly options?: Partial<Options> | ((stage: Stage) => Partial<Options>);
  readonly expect: Expectation;
}

export interface Scenario {
  readonly name: string;
  /** What the model does; every step has to be used. */
  readonly steps: readonly ScriptStep[];
  readonly script?: Partial<ScriptFile>;
  /** Files of the project. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly episodes: readonly Episode[];
}

export interface OneQuery extends Episode, Omit<Scenario, 'episodes'> {}

/** A scenario of one query. */
export function one({ name, steps, script, files, env, ...episode }: OneQuery): Scenario {
  return {
    name,
    steps,
    ...(script === undefined ? {} : { script }),
    ...(files === undefined ? {} : { files }),
    ...(env === undefined ? {} : { env }),
    episodes: [episode],
  };
}

/** What an episode came to, the same whichever way it went. */
export interface Outcome {
  readonly lines: readonly SDKMessage[];
  readonly answers: readonly unknown[];
  readonly asked: readonly (readonly unknown[])[];
  /** The message of what was thrown, in process; the exit code stands for it on the wire. */
  readonly error?: string;
  readonly files: Readonly<Record<string, string>>;
}
