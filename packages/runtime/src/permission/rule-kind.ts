import type { Tool } from '../tool/tool.ts';

/** What the content of a rule is compared with, for the tools whose rules are written everywhere. */
const kinds: Readonly<Record<string, Tool['ruleContent']>> = {
  Bash: 'command',
  PowerShell: 'command',
  Monitor: 'command',
  Read: 'path',
  Edit: 'path',
  Write: 'path',
  NotebookEdit: 'path',
  Glob: 'path',
  Grep: 'path',
  WebFetch: 'url',
  Agent: 'name',
  Skill: 'name',
  WebSearch: 'none',
  TodoWrite: 'none',
  AskUserQuestion: 'none',
  ExitPlanMode: 'none',
  EnterPlanMode: 'none',
  TaskOutput: 'none',
  TaskStop: 'none',
  ListMcpResources: 'none',
  ReadMcpResource: 'none',
};

/** Names that tools had once, and that rules still have. A rule counts for the tool of either name. */
const todaysNames: Readonly<Record<string, string>> = {
  MultiEdit: 'Edit',
  LS: 'Glob',
  NotebookRead: 'Read',
  TodoRead: 'TodoWrite',
  Task: 'Agent',
  SlashCommand: 'Skill',
  BashOutput: 'TaskOutput',
  AgentOutputTool: 'TaskOutput',
  KillShell: 'TaskStop',
  KillBash: 'TaskStop',
};

export const knownToolNames: readonly string[] = Object.keys(kinds);

/** The name that the tool has today. */
export function todaysName(toolName: string): string {
  return Object.hasOwn(todaysNames, toolName) ? (todaysNames[toolName] ?? toolName) : toolName;
}

export function isRetiredName(toolName: string): boolean {
  return Object.hasOwn(todaysNames, toolName);
}

/** Undefined for a tool that is not among those given, nor one of the well-known. */
export function contentKindOf(
  toolName: string,
  tools: readonly Pick<Tool, 'name' | 'ruleContent'>[] = [],
): Tool['ruleContent'] | undefined {
  const given = tools.find(({ name }) => name === toolName)?.ruleContent;
  if (given !== undefined) return given;
  if (toolName.startsWith('mcp__')) return 'none';
  const today = todaysName(toolName);
  return Object.hasOwn(kinds, today) ? kinds[today] : undefined;
}
