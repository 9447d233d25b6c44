import type { PermissionDecision } from './decide-permission.ts';
import { permissionOrder } from './permission-order.ts';

/** One line for people: what was decided, by which step of the order, and why. The reason is the one that is logged. */
export function explainDecision({ decision, step, reason }: PermissionDecision): string {
  const index = permissionOrder.findIndex(({ name }) => name === step);
  const word = { allow: 'Allowed', deny: 'Denied', ask: 'Asked' }[decision];
  return `${word} at step ${index + 1} (${permissionOrder[index]?.title ?? step}): ${reason}.`;
}
