import type { ReportBug } from '../error-frame.ts';

/** Where a host says what happens to it: facts for programs, a sentence for people. A pino logger is one. */
export interface HostLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export const silentLog: HostLog = { info() {}, warn() {}, error() {} };

export function reportTo(log: HostLog): ReportBug {
  return (err, method) => log.error({ err, method }, 'a request failed by a fault of this host');
}
