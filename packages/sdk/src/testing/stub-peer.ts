import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options } from '../options/options.ts';

export const stubPeerFile = fileURLToPath(new URL('../../fixtures/stub-peer/stub-peer.mjs', import.meta.url));

type Frame = Readonly<Record<string, unknown>>;

/** What the peer does, one after the other. In what it writes, `"$id"` stands for the ID of the request it last waited for. */
export type StubStep =
  /** Waits for a line that has these members; its request ID is then `$id`, or as `as` calls it. */
  | { readonly await: Frame; readonly as?: string }
  | { readonly eof: true }
  | { readonly write: Frame; readonly bytewise?: boolean }
  | { readonly raw: string; readonly bytewise?: boolean }
  | { readonly stderr: string }
  | { readonly ignore: NodeJS.Signals }
  | { readonly on: { readonly signal: NodeJS.Signals; readonly exit: number } }
  | { readonly closeOutput: true }
  | { readonly forever: true }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals };

/** What the peer saw: how it was started, each line it was told, the end of its input, signals. */
export interface StubLog {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly pid: number;
  readonly told: readonly Frame[];
  readonly entries: readonly Frame[];
}

export interface StubPeer extends Disposable {
  readonly folder: string;
  readonly options: Options;
  log(): StubLog;
}

export function createStubPeer(steps: readonly StubStep[], more: Options = {}): StubPeer {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-stub-')));
  const script = join(folder, 'script.json');
  const file = join(folder, 'log.jsonl');
  writeFileSync(script, JSON.stringify(steps));
  writeFileSync(file, '');
  return {
    folder,
    options: {
      pathToClaudeCodeExecutable: stubPeerFile,
      env: { PATH: process.env['PATH'], STUB_SCRIPT: script, STUB_LOG: file },
      cwd: folder,
      ...more,
    },
    log() {
      const entries = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Frame);
      const [start] = entries as unknown as [Pick<StubLog, 'argv' | 'env' | 'cwd' | 'pid'>];
      const told = entries.flatMap((entry) => (entry['in'] === undefined ? [] : [entry['in'] as Frame]));
      return { ...start, told, entries: entries.slice(1) };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The peer answers `initialize`. */
export const initializes: readonly StubStep[] = [
  { await: { type: 'control_request', request: { subtype: 'initialize' } }, as: 'init' },
  {
    write: {
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: '$init',
        response: {
          commands: [],
          agents: [],
          output_style: 'default',
          available_output_styles: ['default'],
          models: [],
          account: {},
        },
      },
    },
  },
];

export const hears: StubStep = { await: { type: 'user' } };

export function state(name: string): StubStep {
  return {
    write: {
      type: 'system',
      subtype: 'session_state_changed',
      state: name,
      sdk_host_only: true,
      session_id: 's',
      uuid: randomUUID(),
    },
  };
}

export function asks(id: string, request: Frame): StubStep {
  return { write: { type: 'control_request', request_id: id, request } };
}

export function answered(id: string): StubStep {
  return { await: { type: 'control_response', response: { request_id: id } } };
}

export function result(more: Frame = {}): StubStep {
  return { write: resultFrame(more) };
}

export function resultFrame(more: Frame = {}): Frame {
  return {
    type: 'result',
    subtype: 'success',
    uuid: randomUUID(),
    session_id: 's',
    duration_ms: 1,
    duration_api_ms: 1,
    is_error: false,
    num_turns: 1,
    stop_reason: 'end_turn',
    total_cost_usd: 0,
    usage: {},
    modelUsage: {},
    permission_denials: [],
    result: 'done',
    ...more,
  };
}
