import type { ClientToolStub, HandlerOptions, OutputType, ToolErrors } from '@rondo/client';
import type { ModelSettings } from '@rondo/providers';
import type { AgentPermissionMode, AgentPermissionPolicy, Effort, Model, Sandbox, Tool } from '@rondo/runtime';
import type { AgentHook } from './hook.ts';

/** @typeParam T what `outputType` makes of a turn's text; the text itself without one. */
export interface AgentOptions<T = string> extends HandlerOptions {
  /** A name such as `anthropic/claude-…`, or a model of your own. */
  readonly model: string | Model;
  /** Short names, servers, and facts about models. No settings file is read. */
  readonly models?: ModelSettings;
  /** `default_agent` unless given. Sessions belong to an agent by its name. */
  readonly name?: string;
  /** What it is for, to clients of a host that serves it. */
  readonly description?: string;
  /** What the agent is told before anything else. */
  readonly instructions?: string;
  /** Made with `defineTool`, or with `clientTool`: the calls of those are answered by `onClientTool`, by ID, or by their own function. */
  readonly tools?: readonly (Tool | ClientToolStub)[];
  /**
   * What the model's answer is to be, such as `z.object({ … })`, and what the text of completed turns is parsed as. A text
   * that does not fit is a value, no error.
   */
  readonly outputType?: OutputType<T>;
  /** What a client tool's failure does: `report`, unless said, tells the model, `raise` ends the wait with the error. */
  readonly toolErrors?: ToolErrors;
  /** `auto`: what the policy allows runs; `ask`: every call is asked about; `deny`: none runs. `auto` unless given. */
  readonly permissionMode?: AgentPermissionMode;
  /** The first rule that names the tool decides. Every call is allowed unless given: the tools are the program's own. */
  readonly permissionPolicy?: AgentPermissionPolicy;
  readonly reasoningEffort?: 'off' | Effort;
  /** How freely the model chooses its words, from 0 to 2; some models take less, or none. Their own unless given. */
  readonly temperature?: number;
  /** Most model requests of a turn; no limit unless given. */
  readonly maxIterations?: number;
  /** Longest time that a turn works, in milliseconds. Time that it waits for an answer does not count. */
  readonly maxDurationMs?: number;
  /** Most that a turn may cost, in US dollars, of a model whose price is known. */
  readonly maxBudgetUsd?: number;
  /** Run before all hooks, at every point. */
  readonly guardrails?: readonly AgentHook[];
  /** Code at six points of a turn: objects of a class that extends `Hook`, or plain ones. */
  readonly hooks?: readonly AgentHook[];
  /** How often in a row hooks may have a reply dropped and the model asked again; 3 unless given. */
  readonly hookRetries?: number;
  /** The folder that tools work in; `process.cwd()` unless given. */
  readonly cwd?: string;
  /** In place of `process.env`, for the model's key and for what commands see. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where tools' commands run; this machine, unconfined, unless given. */
  readonly environment?: Sandbox;
  /** `memory` keeps sessions until the agent is closed; `file`, which is the default, in `home`. */
  readonly store?: 'file' | 'memory';
  /** `RONDO_HOME` or `~/.rondo` unless given. */
  readonly home?: string;
}
