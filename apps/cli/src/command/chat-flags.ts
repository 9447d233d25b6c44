import { existsSync } from 'node:fs';
import type { FlagTable, FlagValues } from './flag.ts';
import { help } from './help-flag.ts';

/** A tool's name, with or without a rule's content: `Read`, `Bash(git *)`, `mcp__files__read`. */
const looksLikeRule = (argument: string): boolean => /^[\w*-]+(\(.*\))?(,|$)/s.test(argument);

const looksLikeConfig = (argument: string): boolean => argument.trimStart().startsWith('{') || existsSync(argument);

/** The flags of `rondo [PROMPT]` and `rondo -p`. */
export const chatFlags = {
  print: { kind: 'switch', short: 'p', group: 'Output', description: 'answer the prompt, print the answer and exit' },
  outputFormat: {
    kind: 'value',
    group: 'Output',
    placeholder: 'FORMAT',
    choices: ['text', 'json', 'stream-json'],
    description: 'text (the answer), json (the result object) or stream-json (one message a line)',
  },
  inputFormat: {
    kind: 'value',
    group: 'Output',
    placeholder: 'FORMAT',
    choices: ['text', 'stream-json'],
    description: 'text (the prompt), or stream-json: messages and control requests of a program, a line each',
  },
  includePartialMessages: {
    kind: 'switch',
    group: 'Output',
    description: 'with stream-json: also the pieces of a message as they come',
  },
  includeHookEvents: {
    kind: 'switch',
    group: 'Output',
    description: 'with stream-json: also when hooks begin, what they write and how they end',
  },
  replayUserMessages: {
    kind: 'switch',
    group: 'Output',
    description: 'with stream-json input: also each user message, once it is part of the conversation',
  },
  forwardSubagentText: {
    kind: 'switch',
    group: 'Output',
    description: 'with stream-json: also what subagents say and think (not served yet)',
  },
  promptSuggestions: {
    kind: 'switch',
    group: 'Output',
    description: 'with stream-json: also what might be asked next, after each turn',
  },
  jsonSchema: {
    kind: 'value',
    group: 'Output',
    placeholder: 'JSON',
    description: 'what the answer has to be, a JSON Schema; it is structured_output of the result',
  },
  verbose: { kind: 'switch', group: 'Output', description: 'show progress on stderr even when it is no terminal' },

  model: {
    kind: 'value',
    group: 'Model',
    placeholder: 'MODEL',
    description: 'provider/model, a model name, or an alias such as sonnet',
  },
  fallbackModel: {
    kind: 'value',
    group: 'Model',
    placeholder: 'MODEL',
    description: 'the model to go on with when the first one is overloaded',
  },
  effort: {
    kind: 'value',
    group: 'Model',
    placeholder: 'LEVEL',
    description: 'how hard the model tries: low, medium, high, xhigh or max',
  },
  thinking: {
    kind: 'value',
    group: 'Model',
    placeholder: 'MODE',
    choices: ['adaptive', 'enabled', 'disabled'],
    description: 'whether the model thinks first: adaptive, enabled or disabled',
  },
  thinkingDisplay: {
    kind: 'value',
    hidden: true,
    group: 'Model',
    placeholder: 'HOW',
    choices: ['summarized', 'omitted'],
    description: 'what is shown of that: summarized or omitted',
  },
  maxThinkingTokens: {
    kind: 'value',
    group: 'Model',
    placeholder: 'N',
    description: 'think with at most this many tokens; 0 for not at all',
  },
  taskBudget: {
    kind: 'value',
    group: 'Model',
    placeholder: 'TOKENS',
    description: 'tell the model to be done within this many tokens',
  },
  betas: {
    kind: 'list',
    group: 'Model',
    placeholder: 'NAMES',
    separated: true,
    takesMore: () => false,
    description: "names of a provider's beta features",
  },
  agent: {
    kind: 'value',
    group: 'Model',
    placeholder: 'NAME',
    description: 'the agent that leads the session (not served yet)',
  },
  agents: {
    kind: 'value',
    group: 'Model',
    placeholder: 'JSON',
    description: 'JSON of agents that may be started, by name (not served yet)',
  },
  record: {
    kind: 'value',
    group: 'Model',
    placeholder: 'FILE',
    description: 'write what the model is asked and says to this file; --model scripted/FILE plays it',
  },
  systemPrompt: {
    kind: 'value',
    group: 'Model',
    placeholder: 'TEXT',
    description: 'take this system prompt instead of the built-in one',
  },
  appendSystemPrompt: {
    kind: 'value',
    group: 'Model',
    placeholder: 'TEXT',
    description: 'add this to the end of the system prompt',
  },
  excludeDynamicSystemPromptSections: {
    kind: 'switch',
    hidden: true,
    group: 'Model',
    description: 'accepted: what differs from session to session is never in the system prompt',
  },
  maxTurns: {
    kind: 'value',
    group: 'Model',
    placeholder: 'N',
    description: 'stop after this many model calls',
  },
  maxBudgetUsd: {
    kind: 'value',
    group: 'Model',
    placeholder: 'USD',
    description: 'stop once the estimated cost reaches this',
  },

  permissionMode: {
    kind: 'value',
    group: 'Permissions',
    placeholder: 'MODE',
    choices: ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'],
    description: 'what may run without a question',
  },
  allowedTools: {
    kind: 'list',
    group: 'Permissions',
    shown: 'allowedTools',
    placeholder: 'RULES',
    separated: true,
    takesMore: looksLikeRule,
    description: 'run these without a question: "Write,Bash(npm test)"',
  },
  disallowedTools: {
    kind: 'list',
    group: 'Permissions',
    shown: 'disallowedTools',
    placeholder: 'RULES',
    separated: true,
    takesMore: looksLikeRule,
    description: 'never run these; a bare name also hides the tool from the model',
  },
  tools: {
    kind: 'list',
    group: 'Permissions',
    placeholder: 'TOOLS',
    separated: true,
    takesMore: looksLikeRule,
    description: 'the built-in tools there are: "Read,Grep", "" for none, default for Read, Write, Edit and Bash',
  },
  addDir: {
    kind: 'list',
    group: 'Permissions',
    placeholder: 'FOLDER',
    takesMore: existsSync,
    description: 'another folder the tools may work in',
  },
  settings: {
    kind: 'value',
    group: 'Permissions',
    placeholder: 'FILE|JSON',
    description: 'more settings, above those of the files: a file, or JSON',
  },
  settingSources: {
    kind: 'list',
    group: 'Permissions',
    placeholder: 'SOURCES',
    separated: true,
    takesMore: () => false,
    description: 'which settings files count: "user,project,local", "" for none',
  },
  managedSettings: {
    kind: 'value',
    group: 'Permissions',
    placeholder: 'JSON',
    description: 'policy of the program that starts this one: what restricts counts, nothing else',
  },
  permissionPromptTool: {
    kind: 'value',
    group: 'Permissions',
    placeholder: 'TOOL',
    description: 'the tool of an MCP server that answers what would be asked; stdio asks the program on stdin',
  },
  permissionTimeout: {
    kind: 'value',
    group: 'Permissions',
    placeholder: 'SECONDS',
    description: 'with --permission-prompt-tool=stdio: deny what is not answered in this time',
  },
  mcpConfig: {
    kind: 'list',
    group: 'Permissions',
    placeholder: 'FILE|JSON',
    takesMore: looksLikeConfig,
    description:
      'MCP servers: {"mcpServers": {"name": {…}}}, or a file that says so; not served yet but for those of a program on stdin',
  },
  strictMcpConfig: { kind: 'switch', group: 'Permissions', description: 'no MCP servers but those of --mcp-config' },
  pluginDir: {
    kind: 'list',
    group: 'Permissions',
    placeholder: 'FOLDER',
    takesMore: () => false,
    description: 'load the plugin of this folder (not served yet)',
  },
  dangerouslySkipPermissions: {
    kind: 'switch',
    group: 'Permissions',
    description: 'ask nothing, allow everything but what a rule denies: for sandboxes without a network',
  },
  allowDangerouslySkipPermissions: {
    kind: 'switch',
    group: 'Permissions',
    description: 'let the mode be changed to bypassPermissions later',
  },

  continue: {
    kind: 'switch',
    short: 'c',
    group: 'Session',
    description: 'go on with the latest session of this folder',
  },
  resume: {
    kind: 'optional',
    short: 'r',
    group: 'Session',
    placeholder: 'SESSION',
    description: 'go on with this session; on a terminal without one, choose from a list',
  },
  forkSession: {
    kind: 'switch',
    group: 'Session',
    description: 'with --continue or --resume: leave that session as it is and go on in a copy',
  },
  resumeSessionAt: {
    kind: 'value',
    group: 'Session',
    placeholder: 'UUID',
    description: 'with --resume: go on behind this message, as if what followed had not been',
  },
  title: { kind: 'value', group: 'Session', placeholder: 'TITLE', description: 'what the new session is called' },
  name: {
    kind: 'value',
    hidden: true,
    short: 'n',
    group: 'Session',
    placeholder: 'TITLE',
    description: 'the same as --title',
  },
  sessionMirror: {
    kind: 'switch',
    hidden: true,
    group: 'Session',
    description: 'with stream-json: give the client what is stored of the session, for its store',
  },
  sessionId: { kind: 'value', group: 'Session', placeholder: 'UUID', description: 'the ID that a new session gets' },
  noSessionPersistence: { kind: 'switch', group: 'Session', description: 'keep nothing of this session on disk' },

  debug: {
    kind: 'switch',
    short: 'd',
    group: 'Other',
    description: 'write what happens to standard error, a JSON object a line',
  },
  debugFile: {
    kind: 'value',
    group: 'Other',
    placeholder: 'FILE',
    description: 'write what happens to this file, without keys',
  },
  version: { kind: 'switch', short: 'v', group: 'Other', description: 'show the version' },
  help,
} as const satisfies FlagTable;
export type ChatValues = FlagValues<typeof chatFlags>;
