import { randomUUID } from 'node:crypto';
import type { SDKResultMessage } from '@rondo/protocol';
import type { RondoError } from '@rondo/protocol/values';
import { noUsage } from '../message/wire-usage.ts';

/** The result of a query of which nothing began, not even a session. */
export function unstartedResult(error: RondoError, sessionId: string = randomUUID()): SDKResultMessage {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    uuid: randomUUID(),
    session_id: sessionId,
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: noUsage(),
    modelUsage: {},
    permission_denials: [],
    terminal_reason: 'turn_setup_failed',
    errors: [error.message],
  };
}
