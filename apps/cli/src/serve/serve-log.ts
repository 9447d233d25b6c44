import type { HostLog } from '@rondo/host/node';
import { pino } from 'pino';

/** A JSON line on standard error for each thing that happens, without secrets. */
export function createServeLog(redact: (text: string) => string): HostLog {
  // Nothing waits in memory: what was said before a crash is on its way.
  return pino({ name: 'rondo' }, { write: (line) => void process.stderr.write(redact(line)) });
}
