import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '@rondo/protocol/values';
import type { ToolContext, ToolResult } from '../tool/tool.ts';
import { refusingSandbox } from './temporary-binding.ts';

export interface TemporaryToolContext extends AsyncDisposable {
  /** What a call gets; with changes of its own where they are given. */
  context(changes?: Partial<ToolContext>): ToolContext;
  /** The session's folder, new and empty, with links followed. Removed at the end of `await using`. */
  readonly folder: string;
  /** Keeps what a result asks to remember, for the contexts of later calls. */
  remember(result: ToolResult): ToolResult;
  /** What was shown as progress. */
  readonly progress: readonly unknown[];
}

/** What a tool needs to run outside of a session, in a folder of its own. */
export async function temporaryToolContext(): Promise<TemporaryToolContext> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'rondo-tool-')));
  const folder = join(root, 'work');
  await mkdir(folder);
  const remembered: Record<string, NonNullable<ToolResult['remembered']>[string]> = {};
  const progress: unknown[] = [];
  let calls = 0;
  return {
    folder,
    progress,
    context: (changes = {}) => ({
      sessionId: root,
      turnId: 'turn',
      callId: `call-${(calls += 1)}`,
      toolCallId: `tool-call-${calls}`,
      idempotencyKey: `${root}/${calls}`,
      cwd: folder,
      additionalDirectories: [],
      pathFilter: () => Promise.resolve(undefined),
      env: {},
      sandbox: refusingSandbox,
      sandboxed: false,
      outputDirectory: join(root, 'outputs'),
      remembered: { ...remembered },
      inputs: {},
      signal: new AbortController().signal,
      progress: (value) => progress.push(value),
      requestSignIn: (requests) => Promise.resolve({ connected: [], denied: requests.map(({ sourceId }) => sourceId) }),
      askClient: () => Promise.reject(new ToolError('the test has no client')),
      ...changes,
    }),
    remember(result) {
      for (const [key, value] of Object.entries(result.remembered ?? {})) {
        if (value === null) delete remembered[key];
        else remembered[key] = value;
      }
      return result;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
