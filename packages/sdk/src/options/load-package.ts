import type * as Providers from '@rondo/providers';
import type * as Sandbox from '@rondo/sandbox';
import type * as Tools from '@rondo/tools';

/**
 * What a session needs of other packages, loaded when the first one needs it. An import that is asked for again goes all
 * the way through the loader, some fifty microseconds each: thousands of sessions in one process ask once.
 */
let tools: Promise<typeof Tools> | undefined;
let sandbox: Promise<typeof Sandbox> | undefined;
let providers: Promise<typeof Providers> | undefined;

export function loadTools(): Promise<typeof Tools> {
  return (tools ??= import('@rondo/tools'));
}

export function loadSandboxes(): Promise<typeof Sandbox> {
  return (sandbox ??= import('@rondo/sandbox'));
}

export function loadProviders(): Promise<typeof Providers> {
  return (providers ??= import('@rondo/providers'));
}
