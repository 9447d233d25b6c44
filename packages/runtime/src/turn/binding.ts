import type { AllowAnswer, DenyAnswer, OpenApproval, TurnLimits } from '@rondo/protocol';
import type { LoopHook } from '../hook/loop-hook.ts';
import type { Effort, Model, Thinking } from '../model/model.ts';
import type { Policy } from '../permission/policy.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool } from '../tool/tool.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** The in-process function that answers approvals. Its name is recorded; only a host that has it continues the turn. */
export interface Asker {
  readonly name: string;
  /** Undefined leaves the question open for others. Throwing leaves it open and writes a notice. */
  ask(callback: OpenApproval, options: { readonly signal: AbortSignal }): Promise<AllowAnswer | DenyAnswer | undefined>;
}

/**
 * What a session needs that cannot cross a channel: functions, keys, the process's environment. Register it with
 * `runtime.bind(binding)` and name it by the ID in `session/create` and `turn/start`.
 */
export interface Binding {
  readonly agent: { readonly name: string; readonly fingerprint: string };
  readonly cwd: string;
  readonly model: Model;
  /** Must not change between requests of a session, or its prompt cache is lost: what changes goes to `environment`. */
  readonly system: string;
  /**
   * Text about the surroundings (folder, date, platform), asked at the start of every turn. It is stored as a context
   * message when it differs from the session's last one, so that resuming repeats the same bytes.
   */
  readonly environment?: () => string | Promise<string>;
  readonly tools: readonly Tool[];
  readonly policy: Policy;
  readonly unattended: 'wait' | 'deny';
  readonly asker?: Asker;
  readonly sandbox: Sandbox;
  /** What tools' commands may see. */
  readonly env: Readonly<Record<string, string>>;
  /** Values replaced by `[redacted]` in everything stored or shown. */
  readonly secrets?: readonly string[];
  readonly limits?: TurnLimits;
  /** Run before all hooks, at every point. */
  readonly guardrails?: readonly LoopHook[];
  readonly hooks?: readonly LoopHook[];
  /** How often in a row hooks may have a reply dropped and the model asked again; 3 unless said. */
  readonly hookRetries?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly maxOutputTokens?: number;
  readonly thinking?: Thinking;
  readonly effort?: Effort;
}
