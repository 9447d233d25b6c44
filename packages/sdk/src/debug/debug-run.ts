import { resolve } from 'node:path';
import type { StreamEvent } from '@rondo/protocol';
import type { Options } from '../options/options.ts';
import type { Run } from '../run/start-run.ts';
import { type DebugLog, debugLog, harmless, openDebugLog } from './debug-log.ts';

/** What `debug` and `debugFile` ask for; undefined where they ask for nothing. @throws RondoError `input.invalid`. */
export function debugOf({ cwd = process.cwd(), debug, debugFile, stderr }: Options): DebugLog | undefined {
  // What the log of a session shows has no secrets in it already.
  if (debugFile !== undefined) return harmless(openDebugLog(resolve(cwd, debugFile), (text) => text));
  if (debug !== true) return undefined;
  return harmless(debugLog(stderr ?? ((line) => void process.stderr.write(line))));
}

/** Every event that is kept, as it is shown; deltas are in what they come to. */
export function writeEvent(debug: DebugLog, event: StreamEvent): void {
  if ('id' in event) debug.write(event.type, event);
}

/** The run, with its end and its failure written down. */
export function debuggedRun(run: Run, debug: DebugLog): Run {
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
        await run.stop();
        over('query.failed', error);
        throw error;
      }
      await run.stop();
      over('query.ended');
      return undefined;
    },
    async stop(error, how) {
      await run.stop(error, how);
      over('query.closed', error);
    },
  };
}
