import type { JsonObject, PermissionUpdate } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import type { ElicitationRequest } from '../options/extension-options.ts';
import type { HookInput } from '../hooks/hook-input.ts';
import type { Options } from '../options/options.ts';
import type { HookRegistry } from './hook-registry.ts';
import type { Frame } from './json-line.ts';
import type { ProgramServers } from './program-servers.ts';

export interface AnswerPeerOptions {
  readonly options: Options;
  readonly hooks: HookRegistry;
  readonly servers: ProgramServers;
  /** Answers of the program's store. */
  readonly ofStore: Readonly<Record<string, AnswerPeer>> | undefined;
}

/** What a peer asked, and the word that it no longer wants to know. */
export interface PeerQuestion {
  readonly id: string;
  readonly request: Frame;
  readonly signal: AbortSignal;
}

/** The answer's fields; undefined sends none, which leaves the question open. Throws what is to be said in its place. */
export type AnswerPeer = (question: PeerQuestion) => Promise<object | undefined>;

/** Puts what a peer asks to the functions of the program. */
export function createAnswers(parts: AnswerPeerOptions): Readonly<Record<string, AnswerPeer>> {
  const { options, hooks, servers, ofStore } = parts;
  return {
    ...ofStore,

    async can_use_tool({ id, request, signal }) {
      const { canUseTool } = options;
      if (canUseTool === undefined) throw new RondoError('input.invalid', 'canUseTool callback is not provided.');
      const toolUseID = text(request['tool_use_id']);
      const answer: unknown = await canUseTool(text(request['tool_name']), record(request['input']), {
        signal,
        toolUseID,
        requestId: id,
        ...(Array.isArray(request['permission_suggestions'])
          ? { suggestions: request['permission_suggestions'] as PermissionUpdate[] }
          : {}),
        ...texts(request, {
          blockedPath: 'blocked_path',
          decisionReason: 'decision_reason',
          decisionReasonType: 'decision_reason_type',
          title: 'description',
          displayName: 'display_name',
          agentID: 'agent_id',
        }),
        ...mcpServerOf(request['mcp_server']),
        ...(request['requires_user_interaction'] === true ? { requiresUserInteraction: true } : {}),
      });
      if (answer === null) return undefined;
      if (isRecord(answer) && (answer['behavior'] === 'allow' || answer['behavior'] === 'deny')) {
        return { ...answer, toolUseID };
      }
      throw new TypeError("canUseTool must answer { behavior: 'allow' }, { behavior: 'deny', message } or null");
    },

    async hook_callback({ request, signal }) {
      const id = text(request['callback_id']);
      const callback = hooks.get(id);
      if (callback === undefined) throw new RondoError('input.invalid', `No hook callback found for ID: ${id}`);
      const toolUseId = request['tool_use_id'];
      // The input is what the peer's event has; a hook reads it as its own kind.
      const input = record(request['input']) as unknown as HookInput;
      const answer = await callback(input, typeof toolUseId === 'string' ? toolUseId : undefined, { signal });
      return answer ?? {};
    },

    async mcp_message({ request }) {
      const message = record(request['message']) as JsonObject;
      return { mcp_response: await servers.deliver(text(request['server_name']), message) };
    },

    async elicitation({ request, signal }) {
      const { onElicitation } = options;
      if (onElicitation === undefined) return { action: 'decline' };
      return await onElicitation(elicitationRequest(request), { signal });
    },
  };
}

function elicitationRequest(request: Frame): ElicitationRequest {
  const { mode, requested_schema: schema } = request;
  return {
    serverName: text(request['mcp_server_name']),
    message: text(request['message']),
    ...(mode === 'form' || mode === 'url' ? { mode } : {}),
    ...texts(request, { url: 'url', elicitationId: 'elicitation_id' }),
    ...(isRecord(schema) ? { requestedSchema: { ...schema } } : {}),
  };
}

function mcpServerOf(server: unknown): { mcpServer?: { name: string; source?: string } } {
  if (!isRecord(server) || typeof server['name'] !== 'string') return {};
  return { mcpServer: { name: server['name'], ...texts(server, { source: 'source' }) } };
}

/** The texts there are, by the names that the program knows. */
function texts<Name extends string>(from: Frame, names: Readonly<Record<Name, string>>): Partial<Record<Name, string>> {
  const found = Object.entries<string>(names).flatMap(([name, wire]) => {
    const value = from[wire];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? { ...value } : {};
}
