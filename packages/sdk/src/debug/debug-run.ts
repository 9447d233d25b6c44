import { resolve } from 'node:path';
import type { SDKUserMessage, StreamEvent } from '@rondo/protocol';
import type { Options } from '../options/options.ts';
import type { OpenRun } from '../run/opened-run.ts';
import { seenEvents } from '../run/seen-events.ts';
import { type Run, type RunPlace, startRun } from '../run/start-run.ts';
import { type DebugLog, debugLog, harmless, openDebugLog } from './debug-log.ts';

/** Starts a run in its place, and writes down what happens in it where `debug` or `debugFile` asks for that. */
export function startDebugged<Opened extends OpenRun>(
  prompt: string | AsyncIterable<SDKUserMessage>,
  options: Options,
  place: RunPlace<Opened>,
): Run {
  const debug = debugOf(options);
  if (debug === undefined) return startRun(prompt, options, place);
  const run = startRun(prompt, options, {
    ...place,
    async open(how) {
      const opened = await place.open(how);
      return { ...opened, events: seenEvents(opened.events, (event) => writeEvent(debug, event)) };
    },
  });
  return debuggedRun(run, debug);
}

/** What `debug` and `debugFile` ask for; undefined where they ask for nothing. @throws RondoError `input.invalid`. */
function debugOf({ cwd = process.cwd(), debug, debugFile, stderr }: Options): DebugLog | undefined {
  // What the log of a session shows has no secrets in it already.
  if (debugFile !== undefined) return harmless(openDebugLog(resolve(cwd, debugFile), (text) => text));
  if (debug !== true) return undefined;
  return harmless(debugLog(stderr ?? ((line) => void process.stderr.write(line))));
}

/** Every event that is kept, as it is shown; deltas are in what they come to. */
function writeEvent(debug: DebugLog, event: StreamEvent): void {
  if ('id' in event) debug.write(event.type, event);
}

/** The run, with its end and its failure written down. */
function debuggedRun(run: Run, debug: DebugLog): Run {
  /** How it ends is written behind all that has happened in it, and nothing after. */
  const over = (event: string, details?: unknown): void => {
    debug.write(event, details);
    debug.close();
  };
  return {
    ...run,
    async next() {
      try {
        const line = await run.next();
        if (line !== undefined) return line;
      } catch (error) {
        over('query.failed', error);
        throw error;
      }
      over('query.ended');
      return undefined;
    },
    async stop(error, how) {
      await run.stop(error, how);
      over('query.closed', error);
    },
  };
}
