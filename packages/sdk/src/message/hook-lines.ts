import type { HookCompleted, HookProgress, HookStarted, SDKMessage } from '@rondo/protocol';
import { deriveUuid } from './line-uuid.ts';
import type { ProjectionState } from './projection-state.ts';

/**
 * The lines about the hooks of the second face, which begin with a capital, where they were asked for. What happens while
 * a session starts is told whoever asks.
 */
export function hookStartedLines(state: ProjectionState, event: HookStarted): SDKMessage[] {
  if (!isAskedFor(state, event)) return [];
  return [{ type: 'system', subtype: 'hook_started', uuid: deriveUuid(event.id), ...about(state, event) }];
}

export function hookProgressLines(state: ProjectionState, event: HookProgress): SDKMessage[] {
  if (!isAskedFor(state, event)) return [];
  const { hookId, after, stdout, stderr } = event;
  const uuid = deriveUuid(`${hookId}/${after}/${stdout.length}/${stderr.length}`);
  const output = stdout + stderr;
  return [{ type: 'system', subtype: 'hook_progress', uuid, ...about(state, event), stdout, stderr, output }];
}

export function hookCompletedLines(state: ProjectionState, event: HookCompleted): SDKMessage[] {
  if (!isAskedFor(state, event)) return [];
  const { stdout = '', stderr = '', exitCode } = event.output ?? {};
  return [
    {
      type: 'system',
      subtype: 'hook_response',
      uuid: deriveUuid(event.id),
      ...about(state, event),
      output: stdout + stderr,
      stdout,
      stderr,
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
      outcome: outcomeOf(event),
    },
  ];
}

function isAskedFor({ options }: ProjectionState, { event }: { readonly event: string }): boolean {
  if (event === 'SessionStart' || event === 'Setup') return true;
  return options.includeHookEvents === true && /^[A-Z]/.test(event);
}

function about(state: ProjectionState, { hookId, event, subject }: HookStarted | HookProgress | HookCompleted) {
  return {
    session_id: state.options.sessionId,
    hook_id: hookId,
    hook_name: subject === undefined ? event : `${event}:${subject}`,
    hook_event: event,
  };
}

function outcomeOf({ outcome }: HookCompleted): 'success' | 'error' | 'cancelled' {
  if (outcome['type'] === 'interrupted') return 'cancelled';
  return outcome['type'] === 'failed' ? 'error' : 'success';
}
