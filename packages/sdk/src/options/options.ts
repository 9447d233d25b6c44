import type { PermissionMode } from '@rondo/protocol';
import type { ModelSettings } from '@rondo/providers';
import type { Effort, Model, Thinking } from '@rondo/runtime';
import type { HookCallbacks } from '../hooks/hook-callback.ts';
import type { McpServerConfig } from '../mcp/mcp-server-config.ts';
import type { SandboxSettings } from '../settings/settings.ts';
import type { Settings } from '../settings/settings.ts';
import type { SettingSource } from '../settings/settings-layer.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { SpawnedProcess, SpawnOptions } from '../stdio/spawned-process.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { OutputFormat } from '../output/output-format.ts';
import type { CanUseTool } from './can-use-tool.ts';
import type {
  ElicitationRequest,
  ElicitationResult,
  SdkBeta,
  SdkPluginConfig,
  ToolConfig,
} from './extension-options.ts';

export type ThinkingConfig = Thinking;
/** Whether the text of the model's reasoning is given in short, or left out. */
export type ThinkingDisplay = NonNullable<Extract<Thinking, { type: 'adaptive' }>['display']>;

export type SystemPrompt =
  | string
  | {
      type: 'preset';
      preset: 'claude_code';
      /** Added behind the preset's own text. */
      append?: string;
      /** Holds always: what differs from session to session is never in the system prompt. */
      excludeDynamicSections?: boolean;
    };

/** What `query()` takes. Options of the reference that are not here are refused by name, never ignored. */
export interface Options {
  /** Stops the query: its turn is interrupted, and the iterator throws an `AbortError`. */
  abortController?: AbortController;
  /** Folders beside `cwd` where reading needs no question. */
  additionalDirectories?: string[];
  /** Consents to `permissionMode: 'bypassPermissions'`. */
  allowDangerouslySkipPermissions?: boolean;
  /** Rules that allow: `Read`, `Bash(git status)`. */
  allowedTools?: string[];
  /** Features of the vendor's interface, by name. Sent to Anthropic; elsewhere without effect, with a word on `stderr`. */
  betas?: SdkBeta[];
  /** Asked about calls that no rule and no mode decides. Without it nobody is asked, and such calls are denied. */
  canUseTool?: CanUseTool;
  /** Goes on with the most recent session of `cwd`. */
  continue?: boolean;
  /** `process.cwd()` unless given. */
  cwd?: string;
  /** Writes every event that is kept, and how the query ended, as JSON lines to `stderr`, or to the process's own. */
  debug?: boolean;
  /** The same, appended to this file, which is its user's alone. */
  debugFile?: string;
  /** Rules that deny. A name alone takes the tool away from the model. */
  disallowedTools?: string[];
  effort?: Effort;
  /** Replaces `process.env`, for the model's keys and for what commands see. */
  env?: Record<string, string | undefined>;
  /**
   * Flags of the command, without their dashes: passed on to a peer, and read as the options that they are where there is none.
   * A flag that is no option has no effect, which is said on `stderr`.
   */
  extraArgs?: Record<string, string | null>;
  /**
   * Asked for the rest of a turn in which `model` is overloaded, broken or out of reach three times in a row, or for the
   * last time that the retries allow.
   */
  fallbackModel?: string | Model;
  /** With `resume` or `continue`: goes on in a new session and leaves the old one as it is. */
  forkSession?: boolean;
  /** Functions that hear of what happens in a session, and may change or stop it, by event. They run beside those of settings. */
  hooks?: HookCallbacks;
  /** Also yields when hooks begin, what they write and how they end. */
  includeHookEvents?: boolean;
  /** Also yields the pieces of a reply as they come. */
  includePartialMessages?: boolean;
  /** Most US dollars of the whole query with its subagents, estimated from list prices. A model without a price is refused with it. */
  maxBudgetUsd?: number;
  /**
   * Servers of the Model Context Protocol whose tools the session has, by name: the model calls them `mcp__name__tool`. This
   * version serves those of type `sdk`, which run in the program.
   */
  mcpServers?: Record<string, McpServerConfig>;
  /** Use `thinking`. */
  maxThinkingTokens?: number;
  /** Most model requests of a turn. */
  maxTurns?: number;
  /** A name such as `anthropic/claude-…`, or a model of your own. */
  model?: string | Model;
  /**
   * What the answer of every turn is to be. Its result then has `structured_output`, or is an error: an answer that does
   * not fit is told so to the model, which has five answers in a turn.
   */
  outputFormat?: OutputFormat;
  /** Short names, servers, and facts about models, above those of the person's settings. Rondo's own. */
  models?: ModelSettings;
  /**
   * Writes every model request and reply to this file, as a script that `scripted/FILE` plays: YAML, or JSON by its name.
   * Rondo's own.
   */
  record?: string;
  permissionMode?: PermissionMode;
  /** The way of working that the model is told in the mode `plan`, in place of ours. That nothing may write is said in any case. */
  planModeInstructions?: string;
  /**
   * A tool of `mcpServers` that answers questions, `mcp__server__tool`, in place of `canUseTool`: it is called with
   * `{ tool_name, input, tool_use_id }`, and its text is JSON, `{ behavior: 'allow', updatedInput?, updatedPermissions? }` or
   * `{ behavior: 'deny', message }`. Anything else denies. The model is not offered it.
   */
  permissionPromptToolName?: string;
  /** The model that judges calls in the mode `auto`; the settings' or the session's unless given. Rondo's own. */
  classifierModel?: string | Model;
  /** Also yields, behind a turn's result, what the person may want to say next. One request to the model a turn, which is paid for. */
  promptSuggestions?: boolean;
  /** `false` keeps the session in memory only. */
  persistSession?: boolean;
  /** ID of the session to go on with. */
  resume?: string;
  /**
   * With `resume`: goes on behind this message, by its uuid. What was said behind it stays in the session's log, and is no
   * part of the conversation any more; with `forkSession`, it is not in the new session.
   */
  resumeSessionAt?: string;
  /** The new session's ID, a UUID. */
  sessionId?: string;
  /** Also yields each user message once it is part of the conversation, with `isReplay: true`. Rondo's own. */
  replayUserMessages?: boolean;
  /** Also yields how far each user message has come: `command_lifecycle`, by its uuid. Rondo's own. */
  commandLifecycle?: boolean;
  /** Also yields whether the session works, waits for an answer or rests: `session_state_changed`. Rondo's own. */
  sessionStates?: boolean;
  /**
   * Where the session's transcript is mirrored to as it grows, and where `resume` and `continue` find sessions of other hosts. A
   * store that fails costs the session nothing: it is told as `mirror_error`, and sent again.
   */
  sessionStore?: SessionStore;
  /** `batched`, unless said, sends at the end of each turn, `eager` whatever is said at once. */
  sessionStoreFlush?: 'batched' | 'eager';
  /** Most time that the store has for each call by which a session is loaded: 60,000 ms unless said. Then the query fails. */
  loadTimeoutMs?: number;
  /** What a new session is set up for: its `Setup` hooks are told, before all else. Rondo's own. */
  setup?: 'init' | 'maintenance';
  /** Hears what a person may want to know and no message says. */
  stderr?: (data: string) => void;
  /** No server is taken from anywhere but `mcpServers`, which holds in any case: this version reads no files of servers. */
  strictMcpConfig?: boolean;
  systemPrompt?: SystemPrompt;
  /** Tokens that each turn's work is to take. The model is told what is left of them; nothing stops it there. */
  taskBudget?: { total: number };
  /**
   * Left out, and unless the setting `alwaysThinkingEnabled` is false: `{ type: 'adaptive' }` for models that decide by themselves
   * how much to think, and nothing is asked of others.
   */
  thinking?: ThinkingConfig;
  /** The session's title. A session that is gone on with keeps the title that it has; a fork takes this one. */
  title?: string;
  /**
   * Tools of servers that run in the place of built-in ones: with `{ Bash: 'mcp__workspace__bash' }`, `Bash` is not offered,
   * and a model that calls it all the same has called the server's tool. Rules judge that one; what rules deny or ask of
   * the built-in tool holds too.
   */
  toolAliases?: Record<string, string>;
  /**
   * Whether the folder's own settings count whole: `true` answers for them, `false` does not whoever has trusted them; absent,
   * what `rondo trust` has stored decides. Rondo's own.
   */
  trustFolder?: boolean;
  /** How commands are shut in. */
  sandbox?: SandboxSettings;
  /** Names of built-in tools; `[]` is none, absent is `Read`, `Write`, `Edit` and `Bash`. `Glob` and `Grep` are there when named. */
  tools?: string[] | { type: 'preset'; preset: 'claude_code' };

  /**
   * Works with a session at this host, `ws://…` or `wss://…`, in place of this process: the agent, its tools, rules and folder
   * are the host's. Rondo's own.
   */
  url?: string;
  /** Who this is, to the host at `url`; `RONDO_TOKEN` of the environment unless given. Rondo's own. */
  token?: string;
  /** Where sessions are kept: `RONDO_HOME` or `~/.rondo` unless given. Rondo's own. */
  home?: string;
  /**
   * What becomes of a turn that a former process left, when going on with its session: `settle` ends it as interrupted,
   * `continue` works on. Unless given, only a streaming prompt continues, and only a turn that waits for an answer.
   * Rondo's own.
   */
  unfinished?: 'settle' | 'continue';

  /**
   * The command that does the work, in place of this process: `rondo`, or another peer that speaks its stdio wire. See
   * the guide on stdio for what it is told and how it is ended.
   */
  pathToClaudeCodeExecutable?: string;
  /** Starts the peer in the program's own way: in a container, on another machine. */
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
  /** Answers what a server of the Model Context Protocol asks of the person; without it such requests are declined. */
  onElicitation?: (request: ElicitationRequest, options: { signal: AbortSignal }) => Promise<ElicitationResult>;

  /** With `url`: the agent of the host to work with, where it serves more than one. Else refused, as are those below. */
  agent?: string;
  /** Typed, and refused by this version, which has no agents of settings or options in `query()`, no skills, plugins or checkpoints. */
  agentProgressSummaries?: boolean;
  agents?: Record<string, AgentDefinition>;
  enableFileCheckpointing?: boolean;
  forwardSubagentText?: boolean;
  plugins?: SdkPluginConfig[];
  skills?: string[] | 'all';
  toolConfig?: ToolConfig;

  /** For a peer process. Accepted without effect where there is none, with a word on `stderr`. */
  executable?: 'bun' | 'deno' | 'node';
  executableArgs?: string[];
  /** Which settings files count: `user`, `project` and `local` unless given. Managed settings count in any case. */
  settingSources?: SettingSource[];
  /** Settings above those of the files: an object, or the path of a file, or JSON. */
  settings?: string | Settings;
  /** Policy of the embedding program. Only what restricts counts, and where an administrator has a policy only if that says so. */
  managedSettings?: Settings;
}
