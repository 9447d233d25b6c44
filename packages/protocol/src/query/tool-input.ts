/** What the tools of the second seed take, by the names of its reference. Tools that a session lacks have their shapes all the same. */

/** Starts another agent. */
export interface AgentInput {
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: 'sonnet' | 'opus' | 'haiku' | 'fable';
  run_in_background?: boolean;
  name?: string;
  mode?: 'acceptEdits' | 'auto' | 'bypassPermissions' | 'default' | 'dontAsk' | 'plan';
  isolation?: 'worktree';
}

/** One question of `AskUserQuestion`. */
export interface UserQuestion {
  question: string;
  header: string;
  options: { label: string; description: string; preview?: string }[];
  multiSelect: boolean;
}

/** Asks the person. */
export interface AskUserQuestionInput {
  questions: UserQuestion[];
}

/** Runs a command. */
export interface BashInput {
  command: string;
  /** Milliseconds, 600,000 at most. */
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
}

/** Watches a command's lines or a socket's messages. */
export interface MonitorInput {
  command?: string;
  ws?: { url: string; protocols?: string[] };
  description: string;
  timeout_ms?: number;
  persistent?: boolean;
}

/** Reads what a task in the background has written. */
export interface TaskOutputInput {
  task_id: string;
  block: boolean;
  timeout: number;
}

/** Replaces text in a file. */
export interface FileEditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

/** Reads a file. */
export interface FileReadInput {
  file_path: string;
  /** The first line, from 1. */
  offset?: number;
  /** Most lines. */
  limit?: number;
  /** Pages of a PDF, such as `1-5`. */
  pages?: string;
}

/** Writes a whole file. */
export interface FileWriteInput {
  file_path: string;
  content: string;
}

/** Finds files by name. */
export interface GlobInput {
  pattern: string;
  path?: string;
}

/** Finds lines by a pattern. */
export interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  type?: string;
  output_mode?: 'content' | 'files_with_matches' | 'count';
  '-i'?: boolean;
  '-n'?: boolean;
  '-B'?: number;
  '-A'?: number;
  '-C'?: number;
  context?: number;
  head_limit?: number;
  offset?: number;
  multiline?: boolean;
}

/** Stops a task in the background. */
export interface TaskStopInput {
  task_id?: string;
  /** The former name of `task_id`. */
  shell_id?: string;
}

/** Changes a cell of a notebook. */
export interface NotebookEditInput {
  notebook_path: string;
  cell_id?: string;
  new_source: string;
  cell_type?: 'code' | 'markdown';
  edit_mode?: 'replace' | 'insert' | 'delete';
}

/** Fetches a page and asks about it. */
export interface WebFetchInput {
  url: string;
  prompt: string;
}

/** Searches the web. */
export interface WebSearchInput {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
}

/** Runs a script that starts agents. */
export interface WorkflowInput {
  script?: string;
  name?: string;
  scriptPath?: string;
  args?: unknown;
  resumeFromRunId?: string;
}

/** One line of a list of things to do. */
export interface TodoItem {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  activeForm: string;
}

/** Replaces the list of things to do. */
export interface TodoWriteInput {
  todos: TodoItem[];
}

export interface TaskCreateInput {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Record<string, unknown>;
}

export interface TaskUpdateInput {
  taskId: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'deleted';
  subject?: string;
  description?: string;
  activeForm?: string;
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  metadata?: Record<string, unknown>;
}

export interface TaskGetInput {
  taskId: string;
}

export type TaskListInput = Record<string, never>;

/** Asks for consent to a plan. */
export interface ExitPlanModeInput {
  /** Has no effect any more. */
  allowedPrompts?: { tool: 'Bash'; prompt: string }[];
}

export interface ListMcpResourcesInput {
  server?: string;
}

export interface ReadMcpResourceInput {
  server: string;
  uri: string;
}

/** Goes on in a worktree of the repository. */
export interface EnterWorktreeInput {
  name?: string;
  path?: string;
}

/** What a tool of an MCP server takes: its own schema says. */
export type McpInput = Record<string, unknown>;
/** The reference names these four and prints no shape of them. */
export type SubscribeMcpResourceInput = Record<string, unknown>;
export type UnsubscribeMcpResourceInput = Record<string, unknown>;
export type SubscribePollingInput = Record<string, unknown>;
export type UnsubscribePollingInput = Record<string, unknown>;

export type ToolInputSchemas =
  | AgentInput
  | AskUserQuestionInput
  | BashInput
  | TaskOutputInput
  | EnterWorktreeInput
  | ExitPlanModeInput
  | FileEditInput
  | FileReadInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | ListMcpResourcesInput
  | McpInput
  | MonitorInput
  | NotebookEditInput
  | ReadMcpResourceInput
  | SubscribeMcpResourceInput
  | SubscribePollingInput
  | TaskCreateInput
  | TaskGetInput
  | TaskListInput
  | TaskStopInput
  | TaskUpdateInput
  | TodoWriteInput
  | UnsubscribeMcpResourceInput
  | UnsubscribePollingInput
  | WebFetchInput
  | WebSearchInput
  | WorkflowInput;
