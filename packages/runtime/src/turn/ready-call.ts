import type { HookableCall } from './tool-hooks.ts';

/** A call whose arguments fit its tool, with the session inputs that the tool reads. */
export interface ReadyCall extends HookableCall {
  readonly inputs: Readonly<Record<string, unknown>>;
}
