import { type ChildProcess, spawn } from 'node:child_process';
import type { Options } from '@rondo/sdk';
import { type HookFunction, programServers, wireStart } from './wire-arguments.ts';
import { serveTools, type ServedTools } from './served-tools.ts';

type Frame = Readonly<Record<string, unknown>>;

export interface WireClientOptions {
  /** The peer's file, which Node runs. */
  readonly command: string;
  readonly options: Partial<Options>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: Frame) => void;
}

export interface WireExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/**
 * The least client of the stdio wire, from the contract alone. It starts a peer, says `initialize`, and answers what it is
 * asked with the functions of the options.
 */
export interface WireClient {
  say(message: object): void;
  /** Resolves with the whole answer of a control request; rejects with the error's text. */
  request(subtype: string, fields?: object): Promise<Frame>;
  /** No more messages: the input is closed once nobody can be asked any more. */
  end(): void;
  readonly initialized: Promise<Frame>;
  /** Says `initialize` again, as after an outage, and resolves with the whole answer. */
  greet(): Promise<Frame>;
  /** Says no more, whatever is asked still. */
  closeInput(): void;
  /** Both pipes break, as when the program that holds them is gone. */
  vanish(): void;
  readonly exited: Promise<WireExit>;
  kill(signal: NodeJS.Signals): void;
}

export function startWireClient({ command, options, env, onLine }: WireClientOptions): WireClient {
  const { argv, initialize, hooks } = wireStart(options);
  const child = spawn(process.execPath, [command, ...argv], {
    cwd: options.cwd,
    env: {
      ...env,
      CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
      CLAUDE_AGENT_SDK_VERSION: '0.3.332',
      CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { stdin, stdout, stderr } = pipesOf(child);
  const tools = new Map(programServers(options.mcpServers).map(([name, server]) => [name, serveTools(server)]));
  const answers = { options, hooks, tools };
  const waiting = new Map<string, PromiseWithResolvers<Frame>>();
  const asked = new Map<string, AbortController>();
  let requests = 0;
  let hasEnded = false;
  let isAnswered = true;
  let state: unknown;
  let said = '';

  stdin.on('error', () => {});
  stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  let rest = '';
  stdout.setEncoding('utf8').on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') see(JSON.parse(line) as Frame);
  });

  function write(frame: object): void {
    stdin.write(`${JSON.stringify(frame)}\n`);
  }

  function see(frame: Frame): void {
    switch (frame['type']) {
      case 'control_response':
        return settle(frame['response'] as Frame);
      case 'control_request':
        return void reply(String(frame['request_id']), frame['request'] as Frame);
      case 'control_cancel_request':
        asked.get(String(frame['request_id']))?.abort();
        asked.delete(String(frame['request_id']));
        return;
      case 'keep_alive':
        return;
      default:
        if (frame['subtype'] === 'session_state_changed') state = frame['state'];
        if (frame['type'] === 'result') isAnswered = true;
        if (frame['sdk_host_only'] !== true) onLine(frame);
        closeIfDone();
    }
  }

  function settle(response: Frame): void {
    const request = waiting.get(String(response['request_id']));
    waiting.delete(String(response['request_id']));
    if (response['subtype'] === 'success') request?.resolve(response);
    else request?.reject(new Error(String(response['error'])));
  }

  async function reply(id: string, request: Frame): Promise<void> {
    const aborting = new AbortController();
    asked.set(id, aborting);
    let response: object | undefined;
    try {
      const answer = await answerOf(id, request, aborting.signal, answers);
      response = answer === null ? undefined : { subtype: 'success', response: answer };
    } catch (error) {
      response = { subtype: 'error', error: error instanceof Error ? error.message : String(error) };
    }
    if (response === undefined || !asked.delete(id)) return;
    write({ type: 'control_response', response: { ...response, request_id: id } });
  }

  const mayBeAsked =
    options.canUseTool !== undefined ||
    options.hooks !== undefined ||
    options.onElicitation !== undefined ||
    tools.size > 0;

  function closeIfDone(): void {
    if (!hasEnded || !isAnswered) return;
    if (mayBeAsked && state !== undefined && state !== 'idle') return;
    stdin.end();
  }

  async function request(subtype: string, fields: object = {}): Promise<Frame> {
    const id = `request-${(requests += 1)}`;
    const answer = Promise.withResolvers<Frame>();
    waiting.set(id, answer);
    write({ type: 'control_request', request_id: id, request: { subtype, ...fields } });
    return await answer.promise;
  }

  const exited = new Promise<WireExit>((resolve) => {
    child.once('close', (code, signal) => {
      for (const each of waiting.values()) each.reject(new Error('Query closed before response received'));
      for (const each of asked.values()) each.abort();
      resolve({ code, signal, stderr: said });
    });
  });
  /** Says what the program has; the questions that wait come beside the answer. */
  async function greet(): Promise<Frame> {
    const answer = await request('initialize', initialize);
    for (const frame of (answer['pending_permission_requests'] ?? []) as Frame[]) {
      void reply(String(frame['request_id']), frame['request'] as Frame);
    }
    return answer;
  }
  const initialized = greet();
  initialized.catch(() => {});

  return {
    initialized,
    exited,
    request,
    greet,
    closeInput: () => void stdin.end(),
    vanish() {
      stdin.destroy();
      stdout.destroy();
    },
    say(message) {
      if ((message as Frame)['shouldQuery'] !== false) isAnswered = false;
      write(message);
    },
    end() {
      hasEnded = true;
      closeIfDone();
    },
    kill: (signal) => void child.kill(signal),
  };
}

interface Answers {
  readonly options: Partial<Options>;
  readonly hooks: ReadonlyMap<string, HookFunction>;
  readonly tools: ReadonlyMap<string, ServedTools>;
}

/** The answer's fields; null answers nothing. */
async function answerOf(id: string, request: Frame, signal: AbortSignal, answers: Answers): Promise<object | null> {
  const { options, hooks, tools } = answers;
  switch (request['subtype']) {
    case 'can_use_tool': {
      if (options.canUseTool === undefined) throw new Error('canUseTool callback is not provided.');
      const toolUseID = String(request['tool_use_id']);
      const about = {
        signal,
        toolUseID,
        requestId: id,
        suggestions: request['permission_suggestions'],
        blockedPath: request['blocked_path'],
        decisionReason: request['decision_reason'],
        decisionReasonType: request['decision_reason_type'],
        title: request['description'],
        displayName: request['display_name'],
        agentID: request['agent_id'],
      };
      const known = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
      const input = request['input'] as Record<string, unknown>;
      const answer = await options.canUseTool(String(request['tool_name']), input, known as never);
      return answer === null ? null : { ...answer, toolUseID };
    }
    case 'hook_callback': {
      const hook = hooks.get(String(request['callback_id']));
      if (hook === undefined) throw new Error(`no hook is called ${String(request['callback_id'])}`);
      const toolUseId = request['tool_use_id'] as string | undefined;
      return ((await hook(request['input'] as never, toolUseId, { signal })) ?? {}) as object;
    }
    case 'mcp_message': {
      const server = tools.get(String(request['server_name']));
      if (server === undefined) throw new Error(`no server is called ${String(request['server_name'])}`);
      return { mcp_response: await server.answer(request['message'] as Frame) };
    }
    case 'elicitation':
      return { action: 'decline' };
    default:
      throw new Error(`Unsupported control request subtype: ${String(request['subtype'])}`);
  }
}

function pipesOf({ stdin, stdout, stderr }: ChildProcess) {
  if (stdin === null || stdout === null || stderr === null) throw new Error('a pipe is missing');
  return { stdin, stdout, stderr };
}
