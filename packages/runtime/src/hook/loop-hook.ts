import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  ModelBlock,
  TokenUsage,
  ToolAnnotations,
  ToolKind,
} from '@rondo/protocol';
import type { KeptState } from '../event/session-state.ts';
import { type InputValues, isSessionInput, type SessionInputs } from '../tool/session-input.ts';
import type { Ask, Continue, Reject, Retry, Skip } from './hook-decision.ts';

/** Where hooks run, in the order of a turn. */
export const hookPoints = [
  'preAgentTurn',
  'preLlmCall',
  'postLlmCall',
  'preToolCall',
  'postToolCall',
  'postAgentTurn',
] as const;
export type HookPoint = (typeof hookPoints)[number];

/** What a hook is told beside what it judges. What its functions give is the same should the hook have to run again. */
export interface HookContext<Inputs extends SessionInputs = SessionInputs> {
  readonly sessionId: string;
  readonly turnId: string;
  readonly point: HookPoint;
  /** Aborts when the turn is stopped or the hook's time is over. What the hook returns after that counts for nothing. */
  readonly signal: AbortSignal;
  /** The session inputs that the hook declares, checked. */
  readonly inputs: InputValues<Inputs>;
  /** What the hook kept last, in this session. */
  readonly state: KeptState | undefined;
  /** Keeps a value for the hook's next runs, in later turns too; undefined forgets it. Counts when the hook returns. */
  keep(state: KeptState | undefined): void;
  /** Milliseconds since 1970, when this run of the hook began. */
  now(): number;
  uuid(): string;
  /** From 0 to 1. */
  random(): number;
}

export interface PreAgentTurn {
  /** What the turn starts with, before the model sees it. What joins the turn later is told at `preLlmCall`. */
  readonly userContent: readonly ContentBlock[];
}

export interface PreLlmCall {
  /** Resolved, `provider/model`. */
  readonly model: string;
  /** The number of this model call in its turn, from 1. */
  readonly iteration: number;
  /** What the user said since the model's last reply. */
  readonly userContent: readonly ContentBlock[];
}

export interface PostLlmCall {
  readonly model: string;
  readonly iteration: number;
  /** The reply's text blocks, joined. */
  readonly text: string;
  readonly content: readonly ModelBlock[];
  readonly toolCalls: readonly { readonly toolCallId: string; readonly name: string; readonly arguments: JsonValue }[];
  readonly stopReason: string;
  readonly usage: TokenUsage;
}

export interface PreToolCall {
  /** Namespace and name, e.g. `client.get_order` for a tool of the program's own. */
  readonly toolId: string;
  readonly toolName: string;
  readonly toolKind: ToolKind;
  readonly annotations?: ToolAnnotations;
  /** The call in the session tree; `toolCallId` is the provider's name for it. */
  readonly callId: string;
  readonly toolCallId: string;
  /** Checked, as the hooks before have left them. A copy: to change them, return others. */
  readonly arguments: JsonObject;
}

export interface PostToolCall extends PreToolCall {
  readonly result: HookedResult;
}

export interface HookedResult {
  /** What the model is to read. */
  readonly content: readonly ContentBlock[];
  readonly structured?: JsonValue;
  readonly isError: boolean;
}

export interface PostAgentTurn {
  /** The final answer. */
  readonly text: string;
  readonly stopReason: string;
}

/** Nothing returned is `continueWith()`. */
export type HookResult<Decision> = Decision | undefined | void | Promise<Decision | undefined | void>;

/**
 * Code at six points of a turn. One that throws, takes too long or returns something else at a point fails closed: the
 * call does not run, the turn ends, what it was to judge is not handed on. It is run at least once: again after a crash,
 * unless what it decided is in the log. It runs once at a time in a session.
 */
export interface LoopHook {
  /**
   * Stable and unique among the binding's hooks: the log names the hook by it, and a session is gone on with only where
   * there is one of that name.
   */
  readonly name: string;
  /** Session inputs that it reads. */
  readonly inputs?: SessionInputs;
  /** How long a run may take; a minute unless said. */
  readonly timeoutMs?: number;
  preAgentTurn?(context: HookContext, turn: PreAgentTurn): HookResult<Continue | Skip>;
  preLlmCall?(context: HookContext, call: PreLlmCall): HookResult<Continue | Skip>;
  postLlmCall?(context: HookContext, reply: PostLlmCall): HookResult<Continue | Retry | Reject>;
  preToolCall?(context: HookContext, call: PreToolCall): HookResult<Continue | Skip | Ask>;
  postToolCall?(context: HookContext, call: PostToolCall): HookResult<Continue>;
  postAgentTurn?(context: HookContext, turn: PostAgentTurn): HookResult<Continue>;
}

/** The hooks of a binding: guardrails come before all others at every point, each list in its own order. */
export interface HookLists {
  readonly guardrails?: readonly LoopHook[];
  readonly hooks?: readonly LoopHook[];
}

const none: readonly LoopHook[] = [];

/** Those that have something to say at the point, in their order. */
export function hooksAt({ guardrails = none, hooks = none }: HookLists, point: HookPoint): readonly LoopHook[] {
  if (guardrails.length === 0 && hooks.length === 0) return none;
  return [...guardrails, ...hooks].filter((hook) => hook[point] !== undefined);
}

/** Lists of hooks, and those of the agents that work under the same guardrails. */
export interface HookTree extends HookLists {
  readonly subagents?: readonly (Pick<HookTree, 'hooks' | 'subagents'> & { readonly name: string })[];
}

/** @throws TypeError naming the hook that cannot work. */
export function checkHooks({ guardrails = none, hooks = none, subagents = [] }: HookTree): void {
  checkLists({ guardrails, hooks }, '');
  checkSubagents(subagents, guardrails, new Set());
}

function checkSubagents(
  subagents: NonNullable<HookTree['subagents']>,
  guardrails: readonly LoopHook[],
  checked: Set<object>,
): void {
  for (const definition of subagents) {
    if (checked.has(definition)) continue;
    checked.add(definition);
    if (definition.hooks !== undefined)
      checkLists({ guardrails, hooks: definition.hooks }, `agent ${definition.name}: `);
    checkSubagents(definition.subagents ?? [], guardrails, checked);
  }
}

function checkLists(lists: Required<HookLists>, owner: string): void {
  const names = new Set<string>();
  for (const [list, given] of Object.entries(lists)) {
    for (const [index, hook] of given.entries()) {
      const where = `${owner}${list}[${index}]`;
      if (typeof hook !== 'object' || hook === null) throw new TypeError(`${where} is no hook`);
      const { name, timeoutMs, inputs } = hook;
      if (typeof name !== 'string' || name.trim() === '')
        throw new TypeError(`${where} has no name; give it one that stays the same`);
      if (names.has(name))
        throw new TypeError(`${where}: there is another hook "${name}"; give each a name of its own`);
      names.add(name);
      if (!hookPoints.some((point) => typeof hook[point] === 'function'))
        throw new TypeError(`${where} ("${name}") has none of the functions ${hookPoints.join(', ')}`);
      const isDuration = timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs > 0);
      for (const [inputName, input] of Object.entries(inputs ?? {})) {
        if (!isSessionInput(input))
          throw new TypeError(`${where} ("${name}"): inputs.${inputName} is none; make it with defineSessionInput`);
      }
      if (!isDuration) throw new TypeError(`${where} ("${name}"): timeoutMs is ${timeoutMs}; it is a time from 1 ms`);
    }
  }
}
