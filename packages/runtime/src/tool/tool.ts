import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  SignInRequest,
  ToolAnnotations,
  ToolEffect,
  ToolKind,
} from '@rondo/protocol';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolSpecification } from '../model/model.ts';
import type { SessionInputs } from './session-input.ts';

/** One thing that is wrong with a call's arguments. */
export interface InputProblem {
  /** Dotted path to the field; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

export type ValidatedInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

/**
 * What a call does, as far as the policy judges it. Paths are absolute or relative to the session's folder, as the
 * call wrote them; the gate also resolves them.
 */
export interface ToolAccess {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  /** A shell line. */
  readonly command?: string;
  readonly urls?: readonly string[];
  /** What it starts or uses by name: an agent, a skill. */
  readonly names?: readonly string[];
  /** It asks for its command to run outside the sandbox. */
  readonly unsandboxed?: true;
}

/** Says whether the rules let a path be shown. It is absolute and normal; where links lead, each of its forms is asked for. */
export type PathFilter = (path: string) => boolean;

export interface ToolContext {
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly toolCallId: string;
  /** Stable over restarts: session and call. */
  readonly idempotencyKey: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /**
   * Where the paths of `access` led when this call was judged. A tool opens nothing else, since links may have been laid
   * in the meantime. Undefined when the call was allowed before a crash.
   */
  readonly judgedPlaces?: ReadonlySet<string>;
  /**
   * For a tool that comes upon paths which the call does not name, as a search does. What it gives says of each whether the
   * rules let it be seen, its name too; undefined where no rule can forbid it.
   */
  pathFilter(): Promise<PathFilter | undefined>;
  /** What commands may see; keys of providers are not in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  /** The policy wants the call's command run in the sandbox. False where it may run outside, or no sandbox is configured. */
  readonly sandboxed: boolean;
  /** Folder of the session for outputs too large for the model. Made when first needed, by whoever writes there. */
  readonly outputDirectory: string;
  /** What earlier calls of the session asked to remember. */
  readonly remembered: Readonly<JsonObject>;
  /** The session inputs that the tool declares, checked, under its names for them. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Aborts on interrupt. What a tool returns after that is discarded. */
  readonly signal: AbortSignal;
  /** Shows progress to whoever watches; not stored. */
  progress(value: JsonValue): void;
  /**
   * Asks for sources to be connected, and waits for the answer. In a call that runs again after a crash, the question that
   * was open is open still under its ID, and one that was answered has its answer at once. Of a tool with the effect
   * `once` only `prepare` runs again. Where nobody attends the session, every source is denied.
   * @throws ToolError when the turn ends first.
   */
  requestSignIn(requests: readonly SignInRequest[]): Promise<SignInOutcome>;
  /**
   * Hands the call to the session's client and gives the result that comes back. Asked again, also after a crash, it is the
   * same question. @throws ToolError when the turn ends first, or nobody attends the session.
   */
  askClient(): Promise<ToolResult>;
}

/** Which of the requested sources can be used now. */
export interface SignInOutcome {
  readonly connected: readonly string[];
  readonly denied: readonly string[];
}

export interface ToolResult {
  /** What the model reads. */
  readonly content: string | readonly ContentBlock[];
  /** For programs: the output schema's shape. */
  readonly structured?: JsonValue;
  readonly isError?: boolean;
  /** Facts to keep for later calls, by key; null forgets one. Stored with the result. */
  readonly remembered?: JsonObject;
  /** What whoever watches the session should know, such as what a sandbox refused. Stored behind the result. */
  readonly notices?: readonly string[];
}

/** What a `reconcile` tool found out about a call whose process died. */
export type Reconciliation =
  | { readonly outcome: 'done'; readonly result: ToolResult }
  | { readonly outcome: 'not_done' }
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * A tool as the engine runs it. Make one with `defineTool`. Its effect says what a repeat would do:
 * `none` reads only and may run at once with others and again after a crash; `idempotent` may run again and gets a
 * stable key; `reconcile` finds out first; `once` is never run again.
 */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly kind: ToolKind;
  /** The server that it comes from, as the session calls it; absent for tools of no server. */
  readonly source?: string;
  readonly annotations?: ToolAnnotations;
  /** Names what a rule's content is compared with: a shell line, paths, the hosts of URLs, names, or nothing. */
  readonly ruleContent: 'command' | 'path' | 'url' | 'name' | 'none';
  /** True when a call needs a person whatever is allowed. */
  readonly requiresPerson?: boolean;
  /** Session inputs that calls read. A value that does not fit fails the call that reads it. */
  readonly inputs?: SessionInputs;
  /**
   * A call does nothing but start work whose own calls are judged and recorded: it needs no question unless a rule or a
   * fallback says so, and calls that stand next to each other run at once.
   */
  readonly delegates?: true;
  /**
   * Calls that stand next to each other may run at once. That alone: each is judged, stored and settled by its effect as
   * any other.
   */
  readonly concurrent?: true;
  /**
   * The built-in tool in whose place this one runs: what the rules deny or ask of that one, they deny or ask of this one.
   * Allow rules for it lend nothing.
   */
  readonly standsFor?: { readonly name: string; readonly tool?: Tool };
  specification(): ToolSpecification;
  /** Checks arguments and fills defaults. Never throws. */
  validate(input: JsonValue): ValidatedInput;
  /**
   * What is wrong with arguments that `validate` took, where only somebody elsewhere can tell: asked once, before hooks and
   * people are. Empty where nothing is, or nobody says so. Never rejects.
   */
  askProblems?(input: JsonObject, options: { readonly signal: AbortSignal }): Promise<readonly InputProblem[]>;
  effect(input: JsonObject): ToolEffect;
  /** A tool that cannot tell throws: the call is then denied, whatever is allowed. */
  access(input: JsonObject): ToolAccess;
  /** Runs before the call counts as started; what it gives is stored with that, for `reconcile`. Runs again after a crash. */
  prepare?(input: JsonObject, context: ToolContext): Promise<JsonValue>;
  reconcile?(input: JsonObject, prepared: JsonValue, context: ToolContext): Promise<Reconciliation>;
  /** A thrown `ToolError` is the model's to read; anything else thrown is a failed call with its message. */
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>;
}
