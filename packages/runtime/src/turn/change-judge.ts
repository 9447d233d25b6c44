import { runEventHooks } from '../hook/run-event-hooks.ts';
import type { JudgeChange } from '../permission/live-policy.ts';
import type { TurnParts } from './turn-parts.ts';

/** Asks `ConfigChange` hooks about what a settings file says now. One that fails has nothing against it, and is warned of. */
export function changeJudge(turn: TurnParts): JudgeChange {
  return async ({ source, file, id }) => {
    const place = { event: 'ConfigChange', id, subject: source, input: { source, file_path: file } } as const;
    const verdict = await runEventHooks(turn, place);
    if (verdict === undefined) return undefined;
    return verdict.decision === 'deny' ? { blocked: verdict.reason ?? 'a hook blocked it' } : {};
  };
}
