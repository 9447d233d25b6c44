import type { SDKMessage } from '@rondo/protocol';
import { kindOf, type LineRules } from './line-fault.ts';

/** What may come outside a turn: before its `init`, or behind its `result`. */
const aroundTurns: ReadonlySet<string> = new Set([
  'command_lifecycle',
  'prompt_suggestion',
  'system/background_tasks_changed',
  'system/commands_changed',
  'system/hook_progress',
  'system/hook_response',
  'system/hook_started',
  'system/informational',
  'system/mirror_error',
  'system/notification',
  'system/session_state_changed',
  'system/session_title_changed',
  'system/status',
  'system/task_notification',
  'system/task_updated',
  'system/worker_shutting_down',
]);

/** Section 3.1: each turn is told between one `init` and one `result`. */
export const turnRules: LineRules = (lines, report, { cut }) => {
  const uuids = new Set<string>();
  let open = false;
  lines.forEach((line, index) => {
    const kind = kindOf(line);
    if (line.uuid !== undefined && uuids.has(line.uuid))
      report('uuid.once', index, `${kind} has a uuid that an earlier line had`);
    if (line.uuid !== undefined) uuids.add(line.uuid);
    if (line.session_id !== lines[0]?.session_id) report('session.only-one', index, `${kind} is of another session`);
    if (kind === 'system/init') {
      if (open) report('turn.one-init', index, 'a turn begins before the last one has its result');
      open = true;
    } else if (line.type === 'result') {
      // A session that could not be set up has a result alone.
      if (!open && line.terminal_reason !== 'turn_setup_failed')
        report('turn.one-result', index, 'a result without a turn that it ends');
      open = false;
    } else if (!open && !aroundTurns.has(kind) && !isReplay(line)) {
      report('turn.init-first', index, `${kind} comes outside a turn`);
    }
  });
  if (open && cut !== true) report('turn.has-result', lines.length, 'the last turn has no result');
};

function isReplay(line: SDKMessage): boolean {
  return line.type === 'user' && 'isReplay' in line;
}

/** Where states are told: `running` before all of a turn, `idle` behind all of it, and a question between two of `running`. */
export const stateRules: LineRules = (lines, report, { cut }) => {
  if (!lines.some((line) => kindOf(line) === 'system/session_state_changed')) return;
  let state = 'idle';
  lines.forEach((line, index) => {
    if (line.type === 'system' && line.subtype === 'session_state_changed') {
      if (line.state === state) report('state.changes', index, `it is ${state} already`);
      if (line.state === 'requires_action' && state !== 'running')
        report('state.asks-at-work', index, 'a question while no turn is at work');
      state = line.state;
    } else if (state === 'idle' && (kindOf(line) === 'system/init' || line.type === 'result')) {
      report('state.running-first', index, `${kindOf(line)} comes while the session is idle`);
    }
  });
  if (state !== 'idle' && cut !== true) report('state.idle-last', lines.length, `it ends ${state}`);
};

/** Where a message's way is told: queued, started, and one end. */
export const lifecycleRules: LineRules = (lines, report, { cut }) => {
  const ways = new Map<string, string>();
  const before: Readonly<Record<string, readonly (string | undefined)[]>> = {
    queued: [undefined],
    started: ['queued'],
    completed: ['started'],
    cancelled: ['queued', 'started'],
  };
  lines.forEach((line, index) => {
    if (line.type !== 'command_lifecycle') return;
    const last = ways.get(line.command_uuid);
    if (before[line.state]?.includes(last) !== true)
      report('lifecycle.order', index, `a message is ${line.state} that was ${last ?? 'not heard of'}`);
    ways.set(line.command_uuid, line.state);
  });
  for (const [uuid, state] of ways) {
    if (state !== 'completed' && state !== 'cancelled' && cut !== true)
      report('lifecycle.ends', lines.length, `message ${uuid} ends ${state}`);
  }
};
