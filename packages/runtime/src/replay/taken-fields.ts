import type { SessionEvent } from '@rondo/protocol';
import type { Binding } from '../turn/binding.ts';
import { isUnusable, type RecordedCalls } from './recorded-calls.ts';

/** What of an event cannot be made again without what made it, and is taken as the log has it. */
export function takenFields(
  event: SessionEvent,
  bound: Binding | undefined,
  calls: RecordedCalls,
): ReadonlySet<string> {
  switch (event.type) {
    case 'tool.requested':
      return bound?.tools.some(({ name }) => name === event.name) === true ? nothing : kind;
    case 'tool.decided': {
      const call = calls.all.get(event.callId);
      const isKnown = event.input !== undefined || call?.opened !== undefined || isBound(event.name, bound);
      return isKnown && !holdsSecret(call?.block) ? nothing : inputHash;
    }
    case 'callback.opened': {
      const { callback } = event;
      const name = callback.type === 'approval' ? callback.request.tool.name : '';
      const hidden = holdsSecret(callback) ? ['callback.request.inputHash', 'callback.request.sessionRule'] : [];
      return isBound(name, bound) ? new Set(hidden) : new Set([...ofTool, ...hidden]);
    }
    case 'tool.completed': {
      const call = calls.all.get(event.callId);
      if (call === undefined || isBound(event.name, bound)) return nothing;
      const isRefused = isUnusable(call) || call.decided?.reasonType === 'input';
      return isRefused ? refusal : nothing;
    }
    case 'model.completed':
    case 'model.retried':
      return bound?.model.price === undefined ? cost : nothing;
    default:
      return nothing;
  }
}

const nothing: ReadonlySet<string> = new Set();
const kind = new Set(['toolKind']);
const inputHash = new Set(['inputHash']);
const refusal = new Set(['content', 'error']);
const cost = new Set(['costUsd']);
const ofTool = [
  'callback.title',
  'callback.request.tool',
  'callback.request.sessionRule',
  'callback.call.toolId',
] as const;

function isBound(name: string, bound: Binding | undefined): boolean {
  return bound?.tools.some((tool) => tool.name === name) === true;
}

/** Hashes were taken of what the log does not show. */
function holdsSecret(value: object | undefined): boolean {
  return JSON.stringify(value ?? {}).includes('[redacted]');
}
