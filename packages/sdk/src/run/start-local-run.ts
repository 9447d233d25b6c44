import type { SDKUserMessage } from '@rondo/protocol';
import type { Options } from '../options/options.ts';
import { localMethods } from './local-methods.ts';
import { openRun, type PreparedRun } from './open-run.ts';
import { type Run, startRun } from './start-run.ts';

/** A session at work in this process, with what was prepared for it before. */
export function startLocalRun(
  prompt: string | AsyncIterable<SDKUserMessage>,
  options: Options,
  prepared?: PreparedRun,
): Run {
  return startRun(prompt, options, {
    open: (how) => prepared?.open(how) ?? openRun(options, how),
    methods: (run) => localMethods({ ...run, prompt, options }),
  });
}
