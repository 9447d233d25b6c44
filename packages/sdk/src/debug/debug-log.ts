import { closeSync, openSync, writeSync } from 'node:fs';
import { RondoError } from '@rondo/protocol/values';

/** Writes down what happens, for whoever looks for a fault. */
export interface DebugLog {
  write(event: string, details?: unknown): void;
  close(): void;
}

/**
 * A log of a run that nothing of it can fail by: what can not be written is left out, and so is what comes once it is closed. A
 * closed file's number may be another file's by then.
 */
export function harmless(log: DebugLog): DebugLog {
  let isOpen = true;
  return {
    write(event, details) {
      if (!isOpen) return;
      try {
        log.write(event, details);
      } catch {
        // A full disk or a reader that throws is no fault of the query.
      }
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      log.close();
    },
  };
}

/**
 * A file of one JSON object a line, appended to, its user's alone, without known secrets. A line is in the file when
 * the call returns, so that the last one before a crash is there.
 * @throws RondoError `input.invalid` when the file cannot be written.
 */
export function openDebugLog(file: string, redact: (text: string) => string): DebugLog {
  const descriptor = open(file);
  return {
    ...debugLog((line) => void writeSync(descriptor, redact(line))),
    close: () => closeSync(descriptor),
  };
}

/** The same lines, each with its line feed, to a function. */
export function debugLog(write: (line: string) => void): DebugLog {
  return {
    write(event, details) {
      const line = {
        time: new Date().toISOString(),
        pid: process.pid,
        event,
        ...(details === undefined ? {} : { details }),
      };
      write(`${JSON.stringify(line, plainError)}\n`);
    },
    close() {},
  };
}

function open(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (cause) {
    throw new RondoError('input.invalid', `options.debugFile: ${file} cannot be written: ${(cause as Error).message}`, {
      details: { option: 'debugFile' },
      cause,
    });
  }
}

/** JSON drops what an error says. */
function plainError(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return {
    name,
    message,
    stack,
    ...('code' in value ? { code: value.code } : {}),
    ...(cause === undefined ? {} : { cause }),
  };
}
