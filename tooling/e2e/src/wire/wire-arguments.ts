import type { McpServerConfig, Options } from '@rondo/sdk';

/**
 * The client's command line and its `initialize`, from section 1.1 of the contract alone: written apart from the SDK's own
 * client, so that an error of one is not an error of both.
 */
export interface WireStart {
  readonly argv: readonly string[];
  readonly initialize: Readonly<Record<string, unknown>>;
  /** The hooks by the IDs under which the peer calls them. */
  readonly hooks: ReadonlyMap<string, HookFunction>;
}

export type HookFunction = (
  input: never,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;

export function wireStart(options: Partial<Options>): WireStart {
  const argv = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];
  const initialize: Record<string, unknown> = {};
  const hooks = new Map<string, HookFunction>();
  const put = (flag: string, value: string | number | undefined): void => {
    if (value !== undefined) argv.push(`--${flag}=${value}`);
  };
  const list = (flag: string, values: readonly string[] | undefined): void => {
    if (values !== undefined && values.length > 0) argv.push(`--${flag}=${values.join(',')}`);
  };
  const on = (flag: string, value: boolean | undefined): void => {
    if (value === true) argv.push(`--${flag}`);
  };

  for (const folder of options.additionalDirectories ?? []) put('add-dir', folder);
  on('allow-dangerously-skip-permissions', options.allowDangerouslySkipPermissions);
  list('allowedTools', options.allowedTools);
  list('disallowedTools', options.disallowedTools);
  list('betas', options.betas);
  if (options.canUseTool !== undefined) put('permission-prompt-tool', 'stdio');
  put('permission-prompt-tool', options.permissionPromptToolName);
  on('continue', options.continue);
  put('resume', options.resume);
  on('fork-session', options.forkSession);
  put('resume-session-at', options.resumeSessionAt);
  put('session-id', options.sessionId);
  on('no-session-persistence', options.persistSession === false);
  put('effort', options.effort);
  put('model', named(options.model));
  put('fallback-model', named(options.fallbackModel));
  put('max-turns', options.maxTurns);
  put('max-budget-usd', options.maxBudgetUsd);
  put('task-budget', options.taskBudget?.total);
  if (options.thinking?.type === 'enabled') put('max-thinking-tokens', options.thinking.budgetTokens);
  else if (options.thinking !== undefined) put('thinking', options.thinking.type);
  else put('max-thinking-tokens', options.maxThinkingTokens);
  on('include-hook-events', options.includeHookEvents);
  on('include-partial-messages', options.includePartialMessages);
  on('replay-user-messages', options.replayUserMessages);
  on('strict-mcp-config', options.strictMcpConfig);
  if (options.outputFormat !== undefined) {
    put('json-schema', JSON.stringify(options.outputFormat.schema));
    initialize['jsonSchema'] = options.outputFormat.schema;
  }
  put('permission-mode', options.permissionMode);
  if (options.settings !== undefined || options.sandbox !== undefined) argv.push('--settings', settingsText(options));
  if (options.managedSettings !== undefined) argv.push('--managed-settings', JSON.stringify(options.managedSettings));
  if (options.settingSources !== undefined) put('setting-sources', options.settingSources.join(','));
  if (options.tools !== undefined) put('tools', Array.isArray(options.tools) ? options.tools.join(',') : 'default');

  if (options.hooks !== undefined) {
    initialize['hooks'] = Object.fromEntries(
      Object.entries(options.hooks).map(([event, matchers]) => [
        event,
        matchers.map(({ hooks: functions, ...matcher }) => ({
          ...matcher,
          hookCallbackIds: functions.map((each) => {
            const id = `hook_${hooks.size}`;
            hooks.set(id, each as HookFunction);
            return id;
          }),
        })),
      ]),
    );
  }
  const servers = programServers(options.mcpServers);
  if (servers.length > 0) initialize['sdkMcpServers'] = servers.map(([name]) => name);
  Object.assign(initialize, systemPrompt(options.systemPrompt));
  for (const name of ['title', 'planModeInstructions', 'toolAliases', 'promptSuggestions'] as const) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) initialize[name] = value;
  }
  return { argv, initialize, hooks };
}

type SdkServer = Extract<McpServerConfig, { readonly type: 'sdk' }>;

export function programServers(servers: Options['mcpServers']): (readonly [string, SdkServer['instance']])[] {
  return Object.entries(servers ?? {}).flatMap(([name, server]) =>
    server.type === 'sdk' ? [[name, server.instance] as const] : [],
  );
}

function named(model: Options['model']): string | undefined {
  if (model === undefined || typeof model === 'string') return model;
  throw new Error('a scenario names its model');
}

function settingsText({ settings, sandbox }: Partial<Options>): string {
  if (sandbox === undefined) return typeof settings === 'string' ? settings : JSON.stringify(settings);
  if (typeof settings === 'string') throw new Error('a scenario gives settings beside a sandbox as an object');
  return JSON.stringify({ ...settings, sandbox: { failIfUnavailable: true, ...sandbox } });
}

function systemPrompt(prompt: Options['systemPrompt']): object {
  if (prompt === undefined) return { systemPrompt: [''] };
  if (typeof prompt === 'string') return { systemPrompt: [prompt] };
  const { append, excludeDynamicSections } = prompt;
  return {
    ...(append === undefined ? {} : { appendSystemPrompt: append }),
    ...(excludeDynamicSections === undefined ? {} : { excludeDynamicSections }),
  };
}
