import type { JsonObject, JsonValue, ToolAnnotations } from '@rondo/protocol';
import { askArgumentProblems, checksArguments } from './argument-check.ts';
import { isObject } from './is-object.ts';
import { createLinkedTransports } from './linked-transports.ts';
import type {
  CallOptions,
  ConnectOptions,
  McpConnection,
  McpServerInfo,
  McpToolDescription,
} from './mcp-connection.ts';
import type { McpServer } from './mcp-server.ts';
import { rpcError, type RpcPeer, startRpcPeer } from './rpc-peer.ts';
import { withinSignal } from './within-signal.ts';

/** The version that is asked for, and the others that are understood. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** A list of more pages than that has no end. */
const MOST_PAGES = 1000;

/** Speaks with a server of this program through messages in memory. @throws Error when the server cannot be reached. */
export async function connectInstance(
  instance: McpServer,
  { signal, clientInfo }: ConnectOptions,
): Promise<McpConnection> {
  const [ours, theirs] = createLinkedTransports();
  const progress = new Map<string, NonNullable<CallOptions['progress']>>();
  let failure: string | undefined;
  let tools: readonly McpToolDescription[] = [];
  let canCheck = false;
  let calls = 0;
  const atWork = new Set<CallOptions>();
  const questions = new Map<AbortController, NonNullable<CallOptions['elicit']>>();
  const peer = await startRpcPeer(ours, {
    request: (method, params, { signal: wanted }) => answerServer(method, params, wanted),
    notification(method, params) {
      const { progressToken } = params;
      if (method === 'notifications/tools/list_changed') void relist().catch(() => {});
      else if (method === 'notifications/progress' && typeof progressToken === 'string')
        progress.get(progressToken)?.(params);
    },
    closed: () => (failure ??= 'the server closed the connection'),
  });

  /** The protocol does not say for which call a server asks: where it may be more than one's person, nobody is asked. */
  async function answerServer(method: string, params: JsonObject, wanted: AbortSignal): Promise<JsonValue> {
    if (method !== 'elicitation/create') throw rpcError('unknownMethod', `${method} is not served here`);
    const [elicit, ...others] = new Set([...atWork].map((call) => call.elicit));
    if (elicit === undefined || others.length > 0) return { action: 'decline' };
    const over = new AbortController();
    questions.set(over, elicit);
    try {
      return await elicit(params, { signal: AbortSignal.any([wanted, over.signal]) });
    } finally {
      questions.delete(over);
    }
  }

  /** Takes back what was asked for calls that are over. */
  function endQuestions(): void {
    const wanted = new Set([...atWork].map((call) => call.elicit));
    for (const [over, elicit] of questions) if (!wanted.has(elicit)) over.abort();
  }

  async function relist(): Promise<void> {
    tools = await listTools(peer);
  }

  async function handshake(): Promise<McpServerInfo> {
    await instance.connect(theirs);
    const capabilities = { elicitation: {} };
    const answer = fieldsOf(
      await peer.request(
        'initialize',
        { protocolVersion: versions[0] ?? '', capabilities, clientInfo: { ...clientInfo } },
        signal,
      ),
    );
    const { protocolVersion, serverInfo } = answer;
    if (typeof protocolVersion !== 'string' || !versions.includes(protocolVersion))
      throw new Error(`it speaks a version of the protocol that is not understood: ${JSON.stringify(protocolVersion)}`);
    await peer.notify('notifications/initialized');
    canCheck = checksArguments(answer['capabilities']);
    if (fieldsOf(answer['capabilities'])['tools'] !== undefined) tools = await listTools(peer, signal);
    const { name, version } = fieldsOf(serverInfo);
    return { name: textOr(name, ''), version: textOr(version, '') };
  }

  try {
    const serverInfo = await withinSignal(signal, handshake);
    return {
      serverInfo,
      get tools() {
        return tools;
      },
      get status() {
        return failure === undefined ? 'connected' : 'failed';
      },
      get error() {
        return failure ?? '';
      },
      problemsOf: () => undefined,
      ...(canCheck
        ? {
            askProblems: (name: string, input: JsonObject, { signal: asking }: { readonly signal: AbortSignal }) =>
              askArgumentProblems((method, params) => peer.request(method, params, asking), name, input),
          }
        : {}),
      async callTool(name, input, call) {
        if (failure !== undefined) throw new Error(failure);
        const token = `call-${++calls}`;
        atWork.add(call);
        if (call.progress !== undefined) progress.set(token, call.progress);
        const { toolCallId } = call;
        const meta = {
          ...(call.progress === undefined ? {} : { progressToken: token }),
          ...(toolCallId === undefined ? {} : { 'rondo/toolCallId': toolCallId }),
        };
        try {
          return await peer.request('tools/call', { name, arguments: input, _meta: meta }, call.signal);
        } finally {
          progress.delete(token);
          atWork.delete(call);
          endQuestions();
        }
      },
      async close() {
        failure ??= 'the connection was closed';
        await peer.close();
      },
    };
  } catch (error) {
    await peer.close();
    throw error;
  }
}

/** All pages. A page that leads to itself is the last one. */
async function listTools(peer: RpcPeer, signal?: AbortSignal): Promise<readonly McpToolDescription[]> {
  const tools: McpToolDescription[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = fieldsOf(await peer.request('tools/list', cursor === undefined ? {} : { cursor }, signal));
    const listed = answer['tools'];
    if (!Array.isArray(listed)) throw new Error('its list of tools is none');
    tools.push(...listed.flatMap(described));
    const next = answer['nextCursor'];
    if (typeof next !== 'string' || seen.has(next)) return tools;
    seen.add(next);
    cursor = next;
  }
  throw new Error('its list of tools has no end');
}

/** What has no name cannot be told of, and is no tool. */
function described(listed: JsonValue): McpToolDescription[] {
  const { name, title, description, inputSchema, annotations, _meta } = fieldsOf(listed);
  if (typeof name !== 'string') return [];
  const hints = hintsOf(fieldsOf(annotations));
  return [
    {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema,
      ...(annotations === undefined ? {} : { annotations: hints }),
      ...(isObject(_meta) ? { meta: _meta } : {}),
    },
  ];
}

const hintNames = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function hintsOf(annotations: JsonObject): ToolAnnotations {
  const { title } = annotations;
  const hints = hintNames.flatMap((name): [string, boolean][] => {
    const hint = annotations[name];
    return typeof hint === 'boolean' ? [[name, hint]] : [];
  });
  return { ...(typeof title === 'string' ? { title } : {}), ...Object.fromEntries(hints) };
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOr(value: JsonValue | undefined, other: string): string {
  return typeof value === 'string' ? value : other;
}
