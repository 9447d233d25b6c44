import type { SDKUserMessage } from '@rondo/protocol';
import { startDebugged } from '../debug/debug-run.ts';
import type { Options } from '../options/options.ts';
import type { Run } from '../run/start-run.ts';
import { openRemoteRun } from './open-remote-run.ts';
import { remoteMethods } from './remote-methods.ts';

/** A host that can be reached has stopped a turn by then, tools that are deaf included. */
const hostPatienceMs = 10_000;

/** A session at work at the host that `options.url` names. */
export function startRemoteRun(prompt: string | AsyncIterable<SDKUserMessage>, options: Options): Run {
  return startDebugged(prompt, options, {
    open: (how) => openRemoteRun(options, how),
    methods: remoteMethods,
    patienceMs: hostPatienceMs,
  });
}
