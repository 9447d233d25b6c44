import type { Binding, LoopHook } from '@rondo/runtime';

/** The binding with hooks behind its own, however its sessions are customized. */
export function withHooks(binding: Binding, hooks: readonly LoopHook[]): Binding {
  const { customize } = binding;
  return {
    ...binding,
    hooks: [...(binding.hooks ?? []), ...hooks],
    ...(customize === undefined
      ? {}
      : { customize: async (customization) => withHooks(await customize(customization), hooks) }),
  };
}
