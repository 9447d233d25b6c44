/** What an option's value must be, checked without a schema library: `query()` starts with this. */
export type OptionKind =
  | 'abort controller'
  | 'boolean'
  | 'flags'
  | 'function'
  | 'hooks'
  | 'MCP servers'
  | 'model'
  | 'model settings'
  | 'permission mode'
  | 'effort'
  | 'output format'
  | 'positive number'
  | 'positive whole number'
  | 'record of strings'
  | 'sandbox settings'
  | 'message uuid'
  | 'session ID'
  | 'session store'
  | 'store flush'
  | 'setting sources'
  | 'settings'
  | 'settings or text'
  | 'string'
  | 'strings'
  | 'system prompt'
  | 'task budget'
  | 'thinking'
  | 'tool aliases'
  | 'tools'
  | 'set-up'
  | 'unfinished turn'
  | 'whole number';

/** Options that work. */
export const servedOptions: Readonly<Record<string, OptionKind>> = {
  abortController: 'abort controller',
  additionalDirectories: 'strings',
  allowDangerouslySkipPermissions: 'boolean',
  allowedTools: 'strings',
  betas: 'strings',
  canUseTool: 'function',
  classifierModel: 'model',
  commandLifecycle: 'boolean',
  continue: 'boolean',
  cwd: 'string',
  debug: 'boolean',
  debugFile: 'string',
  disallowedTools: 'strings',
  effort: 'effort',
  env: 'record of strings',
  extraArgs: 'flags',
  fallbackModel: 'model',
  forkSession: 'boolean',
  home: 'string',
  hooks: 'hooks',
  includeHookEvents: 'boolean',
  includePartialMessages: 'boolean',
  maxBudgetUsd: 'positive number',
  maxThinkingTokens: 'whole number',
  loadTimeoutMs: 'positive number',
  managedSettings: 'settings',
  maxTurns: 'positive whole number',
  mcpServers: 'MCP servers',
  model: 'model',
  onElicitation: 'function',
  outputFormat: 'output format',
  models: 'model settings',
  record: 'string',
  pathToClaudeCodeExecutable: 'string',
  permissionMode: 'permission mode',
  planModeInstructions: 'string',
  promptSuggestions: 'boolean',
  permissionPromptToolName: 'string',
  persistSession: 'boolean',
  replayUserMessages: 'boolean',
  sessionStates: 'boolean',
  resume: 'session ID',
  resumeSessionAt: 'message uuid',
  sandbox: 'sandbox settings',
  sessionId: 'session ID',
  sessionStore: 'session store',
  sessionStoreFlush: 'store flush',
  settings: 'settings or text',
  settingSources: 'setting sources',
  setup: 'set-up',
  spawnClaudeCodeProcess: 'function',
  stderr: 'function',
  strictMcpConfig: 'boolean',
  systemPrompt: 'system prompt',
  taskBudget: 'task budget',
  thinking: 'thinking',
  title: 'string',
  toolAliases: 'tool aliases',
  token: 'string',
  tools: 'tools',
  trustFolder: 'boolean',
  unfinished: 'unfinished turn',
  url: 'string',
};

/** Options without effect here, and why that is no loss. Said on `stderr` when one is given. */
export const needlessOptions: Readonly<Record<string, string>> = {
  executable: 'no subprocess is started',
  executableArgs: 'no subprocess is started',
};

/**
 * Options of the reference that this version does not serve. Given a value that asks for something, each is an error: to
 * ignore a hook, a sandbox or a policy would be to run what its author wanted stopped.
 */
export const laterOptions: readonly string[] = [
  'agent',
  'agentProgressSummaries',
  'agents',
  'enableFileCheckpointing',
  'forwardSubagentText',
  'plugins',
  'skills',
  'toolConfig',
];
