import type { SDKUserMessage } from '@rondo/protocol';
import type { Options } from '../options/options.ts';
import { type Run, startRun } from '../run/start-run.ts';
import { openRemoteRun } from './open-remote-run.ts';
import { remoteMethods } from './remote-methods.ts';

/** A session at work at the host that `options.url` names. */
export function startRemoteRun(prompt: string | AsyncIterable<SDKUserMessage>, options: Options): Run {
  return startRun(prompt, options, { open: (how) => openRemoteRun(options, how), methods: remoteMethods });
}
