import { isRecord } from '../is-record.ts';
import type { HookRegistry } from './hook-registry.ts';
import type { McpManifests } from './program-servers.ts';

export interface InitializeParts {
  readonly hooks: HookRegistry;
  readonly serverNames: readonly string[];
  readonly manifests: McpManifests;
  /** What is to be known of the program's store. */
  readonly sessionStore?: object | undefined;
}

/** Options that `initialize` carries under their own name. */
const sameNamed = [
  'agents',
  'title',
  'planModeInstructions',
  'toolAliases',
  'promptSuggestions',
  'agentProgressSummaries',
  'forwardSubagentText',
];

/** What `initialize` says of a program's options: all that is no flag. */
export function initializeFields(options: object, parts: InitializeParts): object {
  const { hooks, serverNames, manifests, sessionStore } = parts;
  const given: Readonly<Record<string, unknown>> = { ...options };
  const { outputFormat, skills } = given;
  return {
    ...(hooks.matchers === undefined ? {} : { hooks: hooks.matchers }),
    ...(serverNames.length === 0 ? {} : { sdkMcpServers: serverNames }),
    ...(Object.keys(manifests).length === 0 ? {} : { sdkMcpServerManifests: manifests }),
    ...(isRecord(outputFormat) && outputFormat['type'] === 'json_schema' ? { jsonSchema: outputFormat['schema'] } : {}),
    ...systemPromptFields(given['systemPrompt']),
    ...(Array.isArray(skills) ? { skills } : {}),
    ...(sessionStore === undefined ? {} : { sessionStore }),
    ...Object.fromEntries(sameNamed.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])),
  };
}

/** Without an option the prompt is empty, not the preset; only the preset goes without the key. */
function systemPromptFields(systemPrompt: unknown): object {
  if (systemPrompt === undefined) return { systemPrompt: [''] };
  if (typeof systemPrompt === 'string') return { systemPrompt: [systemPrompt] };
  if (!isRecord(systemPrompt)) return { systemPrompt };
  const { append, excludeDynamicSections } = systemPrompt;
  return {
    ...(append === undefined ? {} : { appendSystemPrompt: append }),
    ...(excludeDynamicSections === undefined ? {} : { excludeDynamicSections }),
  };
}
