import type {
  AgentCustomization,
  AllowAnswer,
  DenyAnswer,
  OpenApproval,
  PermissionMode,
  PermissionUpdate,
  TurnLimits,
} from '@rondo/protocol';
import type { EventHook } from '../hook/event-hook.ts';
import type { LoopHook } from '../hook/loop-hook.ts';
import type { Transcripts } from '../hook/transcripts.ts';
import type { FallbackModel } from '../model/fallback-model.ts';
import type { Effort, Model, ModelOutput, Thinking } from '../model/model.ts';
import type { RetryPolicy } from '../model/retry-policy.ts';
import type { LivePolicy, PolicyNotice } from '../permission/live-policy.ts';
import type { Classifier } from '../permission/classifier.ts';
import type { Policy, PolicyRule } from '../permission/policy.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Tool } from '../tool/tool.ts';
import type { OutputCheck } from './output-check.ts';

/** The in-process function that answers approvals. Its name is recorded; only a host that has it continues the turn. */
export interface Asker {
  readonly name: string;
  /** Undefined leaves the question open for others. Throwing leaves it open and writes a notice. */
  ask(callback: OpenApproval, options: { readonly signal: AbortSignal }): Promise<AllowAnswer | DenyAnswer | undefined>;
}

/** A server whose tools a session has. */
export interface BoundMcpServer {
  readonly name: string;
  /** `connected`, `failed`, `needs-auth`, `pending` or `disabled`. */
  readonly status: string;
  /** The names of its tools, as the model is told of them. */
  readonly tools: readonly string[];
}

/** How many sessions of one tree may be, run and stand below each other. */
export interface SubagentPolicy {
  /** At once, the root aside. 8 unless said. */
  readonly maxRunning?: number;
  /** 1 lets the root start agents that start none. 3 unless said. */
  readonly maxDepth?: number;
  /** Ever started in one tree. 64 unless said. */
  readonly maxTotal?: number;
}

/**
 * An agent that the model may start for a task. What is absent is the parent's; what is given replaces it, and an empty
 * list clears. Guardrails, permission mode and policy, session inputs, sandbox and limits of the
 * tree are always the root's.
 */
export interface SubagentDefinition
  extends Partial<
    Pick<
      Binding,
      | 'model'
      | 'tools'
      | 'hooks'
      | 'hookRetries'
      | 'thinking'
      | 'effort'
      | 'temperature'
      | 'maxOutputTokens'
      | 'retry'
      | 'subagents'
    >
  > {
  readonly name: string;
  /** What the parent's model chooses by. */
  readonly description: string;
  readonly instructions: string;
  /** Most model requests of its turn. */
  readonly maxTurns?: number;
  /** Rules that narrow what the root allows: of them only those that deny or ask count. */
  readonly rules?: readonly PolicyRule[];
  /** A mode of its own, which counts as far as it narrows the root's. */
  readonly permissionMode?: PermissionMode;
}

/**
 * What a session needs that cannot cross a channel: functions, keys, the process's environment. Register it with
 * `runtime.bind(binding)` and name it by the ID in `session/create` and `turn/start`.
 */
export interface Binding {
  readonly agent: { readonly name: string; readonly fingerprint: string };
  /** What the agent is for, to whoever chooses one. */
  readonly description?: string;
  readonly cwd: string;
  readonly model: Model;
  /** Asked in its place for the rest of a turn in which it cannot be reached. */
  readonly fallback?: FallbackModel | undefined;
  /** Must not change between requests of a session, or its prompt cache is lost: what changes goes to `environment`. */
  readonly system: string;
  /**
   * Text about the surroundings (folder, date, platform), asked at the start of every turn. It is stored as a context
   * message when it differs from the session's last one, so that resuming repeats the same bytes.
   */
  readonly environment?: () => string | Promise<string>;
  readonly tools: readonly Tool[];
  /** The servers of the Model Context Protocol that some of the tools are of. */
  readonly mcpServers?: readonly BoundMcpServer[];
  /** Other names under which the model may call tools. Who is called so is offered under its own name alone. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /**
   * What the turn that begins now works with, where that may change between turns. What says whose session it is (agent,
   * folder) stays the same. Absent: every turn works with this binding.
   */
  readonly forTurn?: () => Binding | Promise<Binding>;
  /** What whoever watches should know of how the turn is equipped; stored as it begins. */
  readonly notices?: readonly string[];
  readonly policy: Policy;
  /** In the policy's place, where it may change while sessions are at work. `policy` is what it was at first. */
  readonly livePolicy?: LivePolicy;
  /**
   * Writes updates to the settings files that they name, and says what came of it. Called when they are in the log; after
   * a crash in between once more, so that writing what is there already must change nothing. Absent: they count for the
   * session.
   */
  readonly savePermissions?: (updates: readonly PermissionUpdate[]) => Promise<readonly PolicyNotice[]>;
  readonly unattended: 'wait' | 'deny';
  readonly asker?: Asker;
  /** Judges calls in a person's place, in the permission mode `auto`. */
  readonly classifier?: Classifier;
  readonly sandbox: Sandbox;
  /** What tools' commands may see. */
  readonly env: Readonly<Record<string, string>>;
  /** Values replaced by `[redacted]` in everything stored or shown. */
  readonly secrets?: readonly string[];
  readonly limits?: TurnLimits;
  /** Run before all hooks, at every point. */
  readonly guardrails?: readonly LoopHook[];
  readonly hooks?: readonly LoopHook[];
  /** Hooks of the second face. Subagents have them too. */
  readonly eventHooks?: readonly EventHook[];
  /** Keeps the transcripts that they are told of. Absent: they are told of the log. */
  readonly transcripts?: Transcripts;
  /** What a new session is set up for, which `Setup` hooks are told. Absent: none of them runs. */
  readonly setup?: 'init' | 'maintenance';
  /** How often in a row hooks may have a reply dropped and the model asked again; 3 unless said. */
  readonly hookRetries?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly maxOutputTokens?: number;
  readonly thinking?: Thinking;
  /** Where `thinking` says nothing, a model that decides by itself how much to think is asked to. */
  readonly adaptiveThinking?: boolean;
  readonly effort?: Effort;
  readonly temperature?: number;
  /** What the model is held to in its final answers. Whether an answer fits is for its reader to check; subagents have none. */
  readonly output?: ModelOutput;
  /** Tokens that a turn's whole work is to take. The model is told what is left of them; nothing stops it there. */
  readonly taskBudget?: { readonly total: number };
  /** Whether a model is asked, once a turn has completed, what the person may want to say next. Subagents are not. */
  readonly suggestsPrompts?: boolean;
  /** What the model is told when the permission mode becomes `plan`. Absent: nothing. */
  readonly planInstructions?: string;
  /** Checks it in its reader's place: turns then complete only with an answer that fits. Subagents have none. */
  readonly outputCheck?: OutputCheck;
  /** The agents that the model may start with the tool `agents.spawn`. */
  readonly subagents?: readonly SubagentDefinition[];
  readonly subagentPolicy?: SubagentPolicy;
  /**
   * What a session works with that has some of this otherwise. It is called for the same customization again and again,
   * also in other processes. Throws what cannot be, such as a model that is unknown or a permission mode that is wider.
   * Absent: sessions cannot be customized.
   */
  readonly customize?: (customization: AgentCustomization) => Binding | Promise<Binding>;
}
