import { RondoError } from '@rondo/protocol/values';
import type { Binding, Runtime } from '@rondo/runtime';
import { isInFolder } from './is-in-folder.ts';
import { requireMode } from './mode-bound.ts';
import type { Principal } from './principal.ts';

/**
 * A binding that the principal may work with.
 * @throws RondoError `binding.not_found`; `access.denied` when what it runs in, or as, is beyond the principal.
 */
export function usableBinding(runtime: Runtime, principal: Principal | undefined, bindingId: string): Binding {
  const binding = runtime.binding(bindingId);
  // What is not known here cannot be judged here, also where another process would know it.
  if (binding === undefined) throw bindingNotFound(bindingId);
  if (principal?.folders !== undefined && !isInFolder(binding.cwd, principal.folders)) {
    throw new RondoError(
      'access.denied',
      `binding ${bindingId} works in a folder that "${principal.name}" may not use`,
      { details: { bindingId } },
    );
  }
  if (principal?.highestMode !== undefined) requireMode(binding.policy.mode, principal.highestMode);
  return binding;
}

export function bindingNotFound(bindingId: string): RondoError {
  return new RondoError('binding.not_found', `no binding ${bindingId} is registered in this runtime`, {
    details: { bindingId },
  });
}
