import type { PostTimeouts } from '../http/post.ts';
import { readVariable, type Environment } from '../environment.ts';

export interface ModelTimeouts {
  /** Milliseconds from the start of a request until its headers, connecting included. 60,000 when not given. */
  readonly headersMs?: number;
  /** Milliseconds from the headers until the first byte of the reply. The smaller of the other two when not given. */
  readonly firstByteMs?: number;
  /** Milliseconds without a byte inside the reply; `false` waits for ever. 60,000 when not given. */
  readonly idleMs?: number | false;
}

const defaultTimeoutMs = 60_000;
const shortestTimeoutMs = 1_000;

export function postTimeouts({
  headersMs = defaultTimeoutMs,
  firstByteMs,
  idleMs = defaultTimeoutMs,
}: ModelTimeouts): PostTimeouts {
  const idle = idleMs === false ? undefined : idleMs;
  return { headersMs, firstByteMs: firstByteMs ?? Math.min(headersMs, idle ?? headersMs), idleMs: idle };
}

/** `API_TIMEOUT_MS`, `CLAUDE_STREAM_IDLE_TIMEOUT_MS` and `CLAUDE_ENABLE_STREAM_WATCHDOG`, no shorter than a second. */
export function timeoutsFromEnvironment(env: Environment): ModelTimeouts {
  const headersMs = readMilliseconds(env, 'API_TIMEOUT_MS');
  const idleMs = readMilliseconds(env, 'CLAUDE_STREAM_IDLE_TIMEOUT_MS');
  const watches = !['0', 'false'].includes(readVariable(env, 'CLAUDE_ENABLE_STREAM_WATCHDOG')?.toLowerCase() ?? '1');
  return {
    ...(headersMs !== undefined && { headersMs }),
    ...(!watches ? { idleMs: false } : idleMs !== undefined ? { idleMs } : {}),
  };
}

function readMilliseconds(env: Environment, name: string): number | undefined {
  const value = Number(readVariable(env, name) ?? Number.NaN);
  return Number.isFinite(value) ? Math.max(shortestTimeoutMs, Math.round(value)) : undefined;
}
