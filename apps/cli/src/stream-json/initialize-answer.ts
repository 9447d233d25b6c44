import type { SDKControlInitializeResponse } from '@rondo/sdk';
import { version } from '../version.ts';
import type { SessionFacts } from './session-facts.ts';

/** What a client may rely on; each is kept by this peer. */
const capabilities = [
  'interrupt_receipt_v1',
  'interrupt_cancel_queued_v1',
  'msg_lifecycle_v1',
  'sdk_mcp_manifests',
  'sdk_mcp_tools_list_changed',
  // Ours: `end_input`.
  'end_input_v1',
];

export interface AnswerParts {
  readonly facts: SessionFacts;
  /** The session is mirrored to the client's store. */
  readonly isMirrored: boolean;
}

/** The answer to `initialize`: what the session offers, and what this process is. */
export function initializeAnswer(
  { current_permission_mode: initial, ...offered }: SDKControlInitializeResponse,
  { facts: { permissionMode, state }, isMirrored }: AnswerParts,
): object {
  return {
    fast_mode_state: 'off',
    ...offered,
    pid: process.pid,
    claude_code_version: version,
    current_permission_mode: permissionMode ?? initial ?? 'default',
    session_state: state,
    capabilities: isMirrored ? [...capabilities, 'session_store_v1'] : capabilities,
  };
}
