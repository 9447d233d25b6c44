import type { SDKUserMessage } from '@rondo/protocol';
import { debuggedRun, debugOf, writeEvent } from '../debug/debug-run.ts';
import type { Options } from '../options/options.ts';
import { localMethods } from './local-methods.ts';
import { openRun, type PreparedRun } from './open-run.ts';
import { seenEvents } from './seen-events.ts';
import { type Run, startRun } from './start-run.ts';

/** A session at work in this process, with what was prepared for it before. */
export function startLocalRun(
  prompt: string | AsyncIterable<SDKUserMessage>,
  options: Options,
  prepared?: PreparedRun,
): Run {
  const debug = debugOf(options);
  const run = startRun(prompt, options, {
    async open(how) {
      const opened = await (prepared?.open(how) ?? openRun(options, how));
      if (debug === undefined) return opened;
      return { ...opened, events: seenEvents(opened.events, (event) => writeEvent(debug, event)) };
    },
    methods: (running) => localMethods({ ...running, prompt, options }),
  });
  return debug === undefined ? run : debuggedRun(run, debug);
}
