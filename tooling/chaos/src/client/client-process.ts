import { spawn } from 'node:child_process';
import { appendFileSync, writeSync } from 'node:fs';

/** What the process is told, as JSON in its first argument. */
export interface ClientOptions {
  /** The command line that starts its peer, behind that of Node. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: string;
  /** The result that is the last one it wants. */
  readonly until: string;
  /** Where its tool writes what it did. */
  readonly world: string;
  readonly death?: ClientDeath;
}

/** It is killed at the frame of that number, as soon as it has read it, or once it has answered it as well. */
export interface ClientDeath {
  readonly frame: number;
  readonly moment: 'unanswered' | 'answered';
}

/** A line that it prints, at once and whole. */
export type ClientLine = { readonly pid: number | undefined } | { readonly read: Frame };

export type Frame = Readonly<Record<string, unknown>>;

const { command, cwd, env, say, until, world, death } = JSON.parse(process.argv[2] ?? '') as ClientOptions;

const peer = spawn(process.execPath, command, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
print({ pid: peer.pid });
peer.stdin.on('error', () => {});

function print(line: ClientLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function write(frame: object): void {
  peer.stdin.write(`${JSON.stringify(frame)}\n`);
}

const noManifest = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'w', version: '1' },
};
const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

function answerOf(request: Frame): object {
  switch (request['subtype']) {
    case 'can_use_tool':
      return { behavior: 'allow', updatedInput: request['input'] };
    case 'mcp_message': {
      const { id, method, params } = request['message'] as { id?: unknown; method?: string; params?: Frame };
      if (method === 'tools/call') appendFileSync(world, `charge ${JSON.stringify(params?.['arguments'])}\n`);
      const result = { content: [{ type: 'text', text: 'charged' }] };
      return { mcp_response: { jsonrpc: '2.0', id: id ?? 0, result: id === undefined ? {} : result } };
    }
    default:
      return {};
  }
}

function reply(frame: Frame): void {
  const { request_id, request } = frame as { request_id: string; request: Frame };
  const response = { subtype: 'success', request_id, response: answerOf(request) };
  write({ type: 'control_response', response });
}

let count = 0;

function see(frame: Frame): void {
  const isHere = death?.frame === count;
  count += 1;
  print({ read: frame });
  if (isHere && death.moment === 'unanswered') process.kill(process.pid, 'SIGKILL');
  const { pending_permission_requests: pending = [] } = (frame['response'] ?? {}) as {
    pending_permission_requests?: Frame[];
  };
  for (const question of pending) reply(question);
  if (frame['type'] === 'control_request') reply(frame);
  if (frame['type'] === 'result' && frame['result'] === until) peer.stdin.end();
  // What was written is read by the peer all the same once it has left this process.
  if (isHere) peer.stdin.write('', () => process.kill(process.pid, 'SIGKILL'));
}

let rest = '';
peer.stdout.setEncoding('utf8').on('data', (piece: string) => {
  const lines = `${rest}${piece}`.split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) see(JSON.parse(line) as Frame);
});
peer.once('close', (code) => process.exit(code ?? 1));

write({
  type: 'control_request',
  request_id: 'initialize',
  request: {
    subtype: 'initialize',
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['before'] }],
      PostToolUse: [{ matcher: 'Bash', hookCallbackIds: ['after'] }],
    },
    sdkMcpServers: ['world'],
    sdkMcpServerManifests: {
      world: {
        initializeResult: noManifest,
        toolsListResult: { tools: [{ name: 'charge', description: 'Charges', inputSchema }] },
      },
    },
  },
});
write({
  type: 'user',
  session_id: '',
  message: { role: 'user', content: [{ type: 'text', text: say }] },
  parent_tool_use_id: null,
});
