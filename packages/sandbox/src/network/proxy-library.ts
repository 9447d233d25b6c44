import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The library whose proxy lets connections through by name. Loaded when the first command needs it. */
export const proxyLibraryName = '@anthropic-ai/sandbox-runtime';

/** Where it is installed; undefined where it is not. */
export function findProxyLibrary(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(proxyLibraryName);
  } catch {
    return undefined;
  }
}

/**
 * Where the library's helper is that forbids Unix sockets to a program that it starts; undefined where there is none for this
 * architecture.
 */
export function findSocketBlocker(): string | undefined {
  const program = join(findProxyLibrary() ?? '', '../../vendor/seccomp', process.arch, 'apply-seccomp');
  try {
    accessSync(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
}
