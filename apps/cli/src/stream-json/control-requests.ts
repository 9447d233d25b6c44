import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { PermissionMode, Query } from '@rondo/sdk';
import { type Frame, isFrame } from './read-frames.ts';

const modes: readonly PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'];

/** What control requests act on. */
export interface ControlTarget {
  readonly query: Query;
  /** Servers by name, with those of the client's program made ones that are reached through it. */
  serversOf(servers: Frame): Parameters<Query['setMcpServers']>[0];
  /** A message that a server of the client's program sends of its own accord. */
  receive(serverName: string, message: Frame): void;
}

type Handler = (fields: Frame, target: ControlTarget) => Promise<object | void>;

/** What a client may ask for, by subtype, but `initialize`. What a handler gives is the answer's `response`. */
const handlers: Readonly<Record<string, Handler>> = {
  interrupt: ({ cancel_queued }, { query }) => query.interrupt({ cancelQueued: cancel_queued === true }),
  async set_permission_mode({ mode }, { query }) {
    const known = modes.find((each) => each === mode);
    if (known === undefined) throw unfit('mode', `one of ${modes.join(', ')}`);
    await query.setPermissionMode(known);
    return { mode: known };
  },
  async set_model({ model }, { query }) {
    const name = model === null || model === 'default' ? undefined : optionalText('model', model);
    await query.setModel(name);
    const offered = (await query.supportedModels()).find(({ value }) => value === (name ?? 'default'));
    const resolved = offered?.resolvedModel ?? name;
    return resolved === undefined ? {} : { model: resolved };
  },
  async set_max_thinking_tokens({ max_thinking_tokens: tokens }, { query }) {
    if (tokens !== null && !Number.isSafeInteger(tokens)) throw unfit('max_thinking_tokens', 'a whole number, or null');
    await query.setMaxThinkingTokens(tokens as number | null);
  },
  async apply_flag_settings({ settings }, { query }) {
    if (!isFrame(settings)) throw unfit('settings', 'an object');
    await query.applyFlagSettings(settings);
  },
  mcp_status: async (_, { query }) => ({ mcpServers: await query.mcpServerStatus() }),
  async mcp_set_servers({ servers }, { query, serversOf }) {
    if (!isFrame(servers)) throw unfit('servers', 'an object');
    return await query.setMcpServers(serversOf(servers));
  },
  mcp_reconnect: ({ serverName }, { query }) => query.reconnectMcpServer(text('serverName', serverName)),
  async mcp_toggle({ serverName, enabled }, { query }) {
    if (typeof enabled !== 'boolean') throw unfit('enabled', 'true or false');
    await query.toggleMcpServer(text('serverName', serverName), enabled);
  },
  async mcp_message({ server_name: name, message }, { receive }) {
    if (!isFrame(message)) throw unfit('message', 'an object');
    receive(text('server_name', name), message);
  },
  rewind_files: ({ user_message_id: id, dry_run: dryRun }, { query }) =>
    query.rewindFiles(text('user_message_id', id), { dryRun: dryRun === true }),
  async stop_task({ task_id: id }, { query }) {
    await query.stopTask(text('task_id', id));
    return {};
  },
  // Asks to let calls at work go on in the background; there are none that could.
  background_tasks: async () => ({}),
};

/**
 * Does what a client asks for.
 * @throws RondoError `input.invalid` for fields that are not what they should be, and for a subtype that is not known.
 */
export async function control(subtype: string, fields: Frame, target: ControlTarget): Promise<object | undefined> {
  const handler = Object.hasOwn(handlers, subtype) ? handlers[subtype] : undefined;
  if (handler === undefined) throw unsupported(subtype);
  return (await handler(fields, target)) ?? undefined;
}

/** The answer's `error` and `error_code`. */
export function controlError(
  error: unknown,
  subtype: string,
): { readonly error: string; readonly error_code?: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code = isRondoError(error) ? errorCode(error, subtype) : undefined;
  return { error: message, ...(code === undefined ? {} : { error_code: code }) };
}

function errorCode(error: RondoError, subtype: string): string | undefined {
  if (error.details?.['errorCode'] === 'unsupported_request') return 'unsupported_request';
  if (subtype === 'set_permission_mode' && error.code === 'permission.bypass_refused') return 'bypass_not_launched';
  return undefined;
}

function unsupported(subtype: string): RondoError {
  return new RondoError('input.invalid', `Unsupported control request subtype: ${subtype}`, {
    details: { errorCode: 'unsupported_request' },
  });
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw unfit(name, 'a text');
}

function optionalText(name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : text(name, value);
}

function unfit(name: string, what: string): RondoError {
  return new RondoError('input.invalid', `${name} takes ${what}.`);
}
