import { anything, boolean, choice, number, object, record, type SettingTable, text, texts } from './settings-key.ts';

const managed = { managedOnly: true, merge: 'any' } as const;

const permissions: SettingTable = {
  allow: texts('widens', 'Rules of calls that need no question: `Read`, `Bash(git status)`.'),
  deny: texts('narrows', 'Rules of calls that never run, whatever else allows them.'),
  ask: texts('narrows', 'Rules of calls that are always asked about.'),
  defaultMode: choice(
    'widens',
    ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'],
    'The permission mode that sessions start in when nobody names one.',
    'default',
  ),
  additionalDirectories: texts('widens', 'Folders beside the session’s own where reading needs no question.'),
  disableBypassPermissionsMode: choice(
    'narrows',
    ['disable'],
    '`disable`: nobody may switch questions off.',
    'disable',
  ),
  disableAutoMode: choice('narrows', ['disable'], '`disable`: no model decides what may run.', 'disable'),
  classifierModel: text('widens', 'The model that judges calls in the mode `auto`; the session’s unless named.', {
    strict: true,
  }),
};

const network: SettingTable = {
  allowedDomains: texts('widens', 'Domains that sandboxed commands reach.'),
  deniedDomains: texts('narrows', 'Domains that sandboxed commands never reach.'),
  allowManagedDomainsOnly: boolean('narrows if true', 'Of all allowed domains only managed ones count.', managed),
  allowLocalBinding: boolean('widens', 'Sandboxed commands may listen on local ports.'),
  allowUnixSockets: texts('widens', 'Unix sockets that sandboxed commands reach.'),
  allowAllUnixSockets: boolean('widens', 'Sandboxed commands reach every Unix socket.'),
  allowMachLookup: texts('widens', 'Mach services that sandboxed commands reach on macOS.'),
  httpProxyPort: number('widens', 'A proxy of your own for HTTP, in place of the built-in one.'),
  socksProxyPort: number('widens', 'A proxy of your own for SOCKS, in place of the built-in one.'),
};

const filesystem: SettingTable = {
  allowWrite: texts('widens', 'Places where sandboxed commands write, beside the session’s folders.'),
  denyWrite: texts('narrows', 'Places where sandboxed commands never write.'),
  denyRead: texts('narrows', 'Places that sandboxed commands never read.'),
  allowRead: texts('widens', 'Places inside `denyRead` that are read all the same.'),
};

const sandbox: SettingTable = {
  enabled: boolean('narrows if true', 'Commands run in the sandbox.'),
  failIfUnavailable: boolean('narrows if true', 'No session starts where the sandbox cannot; true unless said.'),
  autoAllowBashIfSandboxed: boolean('narrows if false', 'Sandboxed commands need no question; true unless said.'),
  excludedCommands: texts('widens', 'Commands that always run outside the sandbox.'),
  allowUnsandboxedCommands: boolean(
    'narrows if false',
    'The model may ask to run outside the sandbox; true unless said.',
  ),
  network: object(network, 'What sandboxed commands reach.'),
  filesystem: object(filesystem, 'What sandboxed commands read and write.'),
  ignoreViolations: {
    is: 'texts by name',
    merge: 'by key',
    effect: 'widens',
    about: 'Violations that nobody is told of.',
  },
  enableWeakerNestedSandbox: boolean('widens', 'A weaker sandbox where this process runs in one itself.'),
  enableWeakerNetworkIsolation: boolean('widens', 'A weaker separation from the network.'),
  ripgrep: record('runs', 'The program that the sandbox searches with.', { merge: 'replace' }),
};

/**
 * Every key that is known: what it is, how sources are merged, what it does to what may happen. The reader, the schema, the
 * merge and the guide are all made from it. Keys that are only kept for later versions, or for the program whose files
 * these are, stand here too, so that a slip in their names is told.
 */
export const settingsTable: SettingTable = {
  $schema: text('neutral', 'Where editors find this schema.'),
  permissions: object(permissions, 'What may run.'),
  hooks: { is: 'hooks', merge: 'by key', effect: 'runs', about: 'Programs that hear of events and may stop them.' },
  // It would switch off hooks that deny, so that it is none of the keys that only narrow.
  disableAllHooks: boolean('widens', 'No hook of these settings runs, managed ones aside.'),
  env: {
    is: 'variables',
    merge: 'by key',
    effect: 'runs',
    about: 'Environment variables of commands and of models’ adapters.',
  },
  model: text('widens', 'The model that runs when nobody names one.', { strict: true }),
  models: {
    is: 'model settings',
    merge: 'by key',
    effect: 'widens',
    about: 'Rondo’s own: `aliases`, `defaultProvider`, `servers` and `facts` about models.',
    strict: true,
  },
  sandbox: object(sandbox, 'How commands are shut in.'),

  allowManagedPermissionRulesOnly: boolean(
    'narrows if true',
    'Rules that allow count only where managed settings say them.',
    managed,
  ),
  allowManagedHooksOnly: boolean('narrows if true', 'Only hooks of managed settings run.', managed),
  allowManagedMcpServersOnly: boolean(
    'narrows if true',
    'Only MCP servers that managed settings allow are used.',
    managed,
  ),
  parentSettingsBehavior: {
    ...choice('neutral', ['first-wins', 'merge'], '`merge`: the policy of an embedding program counts below this one.'),
    managedOnly: true,
  },
  strictKnownMarketplaces: anything('narrows', 'Marketplaces that plugins may come from.', { managedOnly: true }),
  blockedMarketplaces: anything('narrows', 'Marketplaces that no plugin may come from.', { managedOnly: true }),
  forceLoginMethod: text('narrows', 'How people must sign in.', { managedOnly: true }),
  forceLoginOrgUUID: anything('narrows', 'The organisation that people must sign in to.', { managedOnly: true }),
  companyAnnouncements: texts('neutral', 'Shown at start.', { managedOnly: true }),
  policyHelper: anything('runs', 'A program that gives managed settings.', { managedOnly: true }),

  apiKeyHelper: text('runs', 'A shell line that prints the model’s key.'),
  awsAuthRefresh: text('runs', 'A shell line that signs in to AWS.'),
  awsCredentialExport: text('runs', 'A shell line that prints AWS credentials.'),
  gcpAuthRefresh: text('runs', 'A shell line that signs in to Google Cloud.'),
  otelHeadersHelper: text('runs', 'A shell line that prints headers of telemetry.'),
  statusLine: anything('runs', 'A command that draws the status line.'),
  subagentStatusLine: anything('runs', 'A command that draws a subagent’s status line.'),
  fileSuggestion: anything('runs', 'A command that proposes files.'),

  mcpServers: record('runs', 'MCP servers, by name.'),
  enableAllProjectMcpServers: boolean('narrows if false', 'Every server of `.mcp.json` is used without a question.'),
  enabledMcpjsonServers: texts('widens', 'Servers of `.mcp.json` that are used without a question.'),
  disabledMcpjsonServers: texts('narrows', 'Servers of `.mcp.json` that are never used.'),
  allowedMcpServers: anything('narrows', 'The only MCP servers that may be used.'),
  deniedMcpServers: anything('narrows', 'MCP servers that are never used.'),
  enabledPlugins: record('runs', 'Plugins, by `name@marketplace`.'),
  extraKnownMarketplaces: record('runs', 'Marketplaces, by name.'),
  pluginConfigs: record('runs', 'What plugins are told, by plugin.'),
  allowedHttpHookUrls: texts('narrows', 'The only addresses that hooks may send to.'),
  httpHookAllowedEnvVars: texts('narrows', 'The only variables that hooks may send.'),
  disableSkillShellExecution: boolean('narrows if true', 'Skills run no shell lines.'),
  skillOverrides: record('widens', 'Which skills are offered.'),

  agent: text('widens', 'The agent that sessions work with.'),
  availableModels: texts('narrows', 'The only models that may be chosen.', { merge: 'replace' }),
  fallbackModel: anything('widens', 'Models for when the chosen one fails.'),
  effortLevel: text('widens', 'How hard the model thinks.'),
  ultracode: boolean('widens', 'Works at the highest effort.'),
  fastMode: boolean('widens', 'Asks for faster replies.'),
  alwaysThinkingEnabled: boolean(
    'widens',
    'The model decides how much to think before it answers, as it does where nothing is said; false: it does not think.',
  ),
  outputStyle: text('widens', 'The style of answers, by name.'),
  plansDirectory: text('widens', 'Where plans are kept.'),
  worktree: anything('widens', 'How worktrees are made.'),
  cleanupPeriodDays: number('widens', 'How many days sessions are kept.'),
  askUserQuestionTimeout: anything('widens', 'How long a question to the user stays open.'),
  skipDangerousModePermissionPrompt: boolean('widens', 'The warning before switching questions off is left out.'),
  skipAutoPermissionPrompt: boolean('widens', 'The warning before a model decides is left out.'),
  remoteControlAtStartup: anything('widens', 'Sessions can be steered from elsewhere.'),
  claudeMdExcludes: texts('widens', 'Memory files that are not read.'),
  autoMemoryEnabled: boolean('widens', 'Memories are kept between sessions.'),
  autoMemoryDirectory: text('widens', 'Where memories are kept.'),
  autoCompactEnabled: boolean('neutral', 'Long conversations are summarised.'),
  includeCoAuthoredBy: boolean('neutral', 'Commits name the agent; `attribution` is its newer form.'),
  attribution: record('neutral', 'What commits and pull requests say of the agent.'),
  includeGitInstructions: boolean('neutral', 'The prompt says how to work with git.'),
  respectGitignore: boolean('neutral', 'Ignored files are not proposed.'),
  language: text('neutral', 'The language of answers.'),
  theme: text('neutral', 'Colours of the terminal.'),
  tui: anything('neutral', 'The terminal’s looks.'),
  editorMode: text('neutral', 'Keys of the terminal’s editor.'),
  spinnerVerbs: anything('neutral', 'Words shown while work goes on.'),
  spinnerTipsEnabled: boolean('neutral', 'Tips shown while work goes on.'),
  preferredNotifChannel: text('neutral', 'How a terminal is told that work is done.'),
  agentPushNotifEnabled: boolean('neutral', 'Notifications of agents.'),
  voiceEnabled: boolean('neutral', 'Speech.'),
  teammateMode: text('neutral', 'How teammates are shown.'),
  prefersReducedMotion: boolean('neutral', 'Less movement in the terminal.'),
  autoUpdatesChannel: text('neutral', 'Which updates are taken.'),
};
