import type { Sandbox } from '@rondo/runtime';

/** This machine, with supervised processes. */
export async function loadSandbox(): Promise<Sandbox> {
  const { createLocalSandbox } = await import('@rondo/sandbox');
  return createLocalSandbox();
}
