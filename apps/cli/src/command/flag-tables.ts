import { chatFlags } from './chat-flags.ts';
import type { FlagTable, FlagValues } from './flag.ts';
import { help } from './help-flag.ts';

export const demoFlags = { help } as const satisfies FlagTable;

export const sessionsFlags = {
  json: { kind: 'switch', group: 'Output', description: 'JSON for programs' },
  dir: { kind: 'value', group: 'Output', placeholder: 'FOLDER', description: 'list the sessions of this folder alone' },
  limit: { kind: 'value', group: 'Output', placeholder: 'N', description: 'list at most this many (20 by default)' },
  format: {
    kind: 'value',
    group: 'Output',
    placeholder: 'FORMAT',
    choices: ['jsonl', 'json', 'markdown'],
    description: 'export: jsonl (an event a line), json (one object) or markdown (a page to read)',
  },
  output: { kind: 'value', short: 'o', group: 'Output', placeholder: 'FILE', description: 'export: to this new file' },
  title: { kind: 'value', group: 'Change', placeholder: 'TITLE', description: 'fork: what the copy is called' },
  all: { kind: 'switch', group: 'Output', description: 'verify: every session there is' },
  force: { kind: 'switch', group: 'Change', description: 'rm: ask nothing' },
  dryRun: { kind: 'switch', group: 'Change', description: 'import: say what would be done, and do nothing' },
  help,
} as const satisfies FlagTable;
export type SessionsValues = FlagValues<typeof sessionsFlags>;

export const modelsFlags = {
  json: { kind: 'switch', group: 'Output', description: 'JSON for programs' },
  help,
} as const satisfies FlagTable;
export type ModelsValues = FlagValues<typeof modelsFlags>;

export const replayFlags = {
  behavioural: {
    kind: 'switch',
    group: 'Replay',
    description: "let today's hooks and policy decide again, and show what they decide otherwise",
  },
  liveTools: {
    kind: 'switch',
    group: 'Replay',
    description: 'really run the tools that only read, and compare what they give',
  },
  agents: {
    kind: 'value',
    group: 'Replay',
    placeholder: 'DIR',
    description: "with the session's agent of these modules, as rondo serve takes them; its hooks really run",
  },
  json: { kind: 'switch', group: 'Replay', description: 'JSON for programs' },
  cwd: {
    kind: 'value',
    group: 'Permissions',
    placeholder: 'FOLDER',
    description: "today's folder of the session, unless it is that of then",
  },
  permissionMode: chatFlags.permissionMode,
  allowedTools: chatFlags.allowedTools,
  disallowedTools: chatFlags.disallowedTools,
  tools: chatFlags.tools,
  addDir: chatFlags.addDir,
  help,
} as const satisfies FlagTable;
export type ReplayValues = FlagValues<typeof replayFlags>;

export const serveFlags = {
  store: {
    kind: 'value',
    group: 'Sessions',
    placeholder: 'DIR',
    description: 'where sessions are kept, in place of the home',
  },
  agents: {
    kind: 'value',
    group: 'Sessions',
    placeholder: 'DIR',
    description: 'serve the agents of these modules; their code runs with all your rights',
  },
  host: { kind: 'value', group: 'Network', placeholder: 'HOST', description: 'the address to listen on (127.0.0.1)' },
  port: { kind: 'value', group: 'Network', placeholder: 'PORT', description: 'the port (a free one)' },
  tokenFile: {
    kind: 'value',
    group: 'Network',
    placeholder: 'FILE',
    description: 'who may do what: one token, or a list; without it a token is made and kept in the home',
  },
  allowOrigin: {
    kind: 'list',
    group: 'Network',
    placeholder: 'ORIGIN',
    description: 'pages of this origin may speak to the host, as http://localhost:5173; may be repeated',
  },
  allowHost: {
    kind: 'list',
    group: 'Network',
    placeholder: 'NAME',
    description: 'a name, beside those of this machine, under which clients reach the host; may be repeated',
  },
  help,
} as const satisfies FlagTable;
export type ServeValues = FlagValues<typeof serveFlags>;

export const attachFlags = {
  json: { kind: 'switch', group: 'Output', description: 'events as JSON lines, from the beginning, for programs' },
  tokenFile: {
    kind: 'value',
    group: 'Network',
    placeholder: 'FILE',
    description: 'the token for the host at URL, in place of RONDO_TOKEN',
  },
  help,
} as const satisfies FlagTable;
export type AttachValues = FlagValues<typeof attachFlags>;

export const trustFlags = {
  yes: {
    kind: 'switch',
    short: 'y',
    group: 'Change',
    description: 'trust what the folder brings in now, without asking',
  },
  revoke: { kind: 'switch', group: 'Change', description: 'trust nothing of the folder any more' },
  list: { kind: 'switch', group: 'Output', description: 'the folders that are trusted' },
  json: { kind: 'switch', group: 'Output', description: 'JSON for programs' },
  help,
} as const satisfies FlagTable;
export type TrustValues = FlagValues<typeof trustFlags>;

export const permissionsFlags = {
  json: { kind: 'switch', group: 'Output', description: 'JSON for programs' },
  cwd: { kind: 'value', group: 'Permissions', placeholder: 'FOLDER', description: 'the folder; this one unless given' },
  permissionMode: chatFlags.permissionMode,
  allowedTools: chatFlags.allowedTools,
  disallowedTools: chatFlags.disallowedTools,
  addDir: chatFlags.addDir,
  settings: chatFlags.settings,
  settingSources: chatFlags.settingSources,
  help,
} as const satisfies FlagTable;
export type PermissionsValues = FlagValues<typeof permissionsFlags>;

export const settingsFlags = {
  json: { kind: 'switch', group: 'Output', description: 'JSON for programs' },
  settings: chatFlags.settings,
  settingSources: chatFlags.settingSources,
  help,
} as const satisfies FlagTable;
export type SettingsValues = FlagValues<typeof settingsFlags>;

export const doctorFlags = {
  json: { kind: 'switch', group: 'Output', description: 'JSON for programs' },
  help,
} as const satisfies FlagTable;
export type DoctorValues = FlagValues<typeof doctorFlags>;

/** What the first argument may be besides a prompt or a flag. */
export const commandNames = [
  'attach',
  'demo',
  'doctor',
  'models',
  'permissions',
  'replay',
  'serve',
  'sessions',
  'settings',
  'trust',
] as const;
