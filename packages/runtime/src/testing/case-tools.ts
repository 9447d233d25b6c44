import type { JsonObject, ToolEffect } from '@rondo/protocol';
import type { Tool, ToolAccess } from '../tool/tool.ts';
import { recordingTool } from './recording-tool.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

interface Kind {
  readonly ruleContent: Tool['ruleContent'];
  readonly effect: ToolEffect;
  readonly access: (input: JsonObject) => ToolAccess;
  readonly requiresPerson?: true;
  readonly delegates?: true;
}

const command = (input: JsonObject): ToolAccess => ({
  command: textOf(input['command']),
  ...(input['dangerouslyDisableSandbox'] === true ? { unsandboxed: true } : {}),
});
const edits = (field: string) => (input: JsonObject) => ({
  reads: [textOf(input[field])],
  writes: [textOf(input[field])],
});
const searches = (input: JsonObject): ToolAccess => ({ reads: [textOf(input['path']) || '.'] });
const silent = (): ToolAccess => ({});

const shell: Kind = { ruleContent: 'command', effect: 'once', access: command };
const search: Kind = { ruleContent: 'path', effect: 'none', access: searches };
const person: Kind = { ruleContent: 'none', effect: 'none', access: silent, requiresPerson: true };

/** What the tools of the corpus say of their calls: like the built-in ones, where there are such. */
const kinds: Readonly<Record<string, Kind>> = {
  Bash: shell,
  PowerShell: shell,
  Read: { ruleContent: 'path', effect: 'none', access: (input) => ({ reads: [textOf(input['file_path'])] }) },
  Write: { ruleContent: 'path', effect: 'idempotent', access: edits('file_path') },
  Edit: { ruleContent: 'path', effect: 'once', access: edits('file_path') },
  NotebookEdit: { ruleContent: 'path', effect: 'once', access: edits('notebook_path') },
  Glob: search,
  Grep: search,
  WebFetch: { ruleContent: 'url', effect: 'once', access: (input) => ({ urls: [textOf(input['url'])] }) },
  WebSearch: { ruleContent: 'none', effect: 'once', access: silent },
  Agent: {
    ruleContent: 'name',
    effect: 'once',
    access: (input) => ({ names: [textOf(input['subagent_type'])] }),
    delegates: true,
  },
  Skill: { ruleContent: 'name', effect: 'once', access: (input) => ({ names: [textOf(input['skill'])] }) },
  AskUserQuestion: person,
  ExitPlanMode: person,
};

/** The tool of a case; one of a server says nothing about itself. */
export function caseTool(name: string): Tool {
  const kind = kinds[name] ?? { ruleContent: 'none', effect: 'once', access: silent };
  return recordingTool({ name, ...kind });
}
