import { appendFileSync } from 'node:fs';
import { RondoError } from '@rondo/protocol/values';
import type { ModelRequest } from '@rondo/runtime';
import { reasonOf } from './read-script.ts';
import { saidMessages, saidSettings, saidTools } from './said-request.ts';

/** The request as a script writes it, with its whole conversation. */
export function askedRequest(request: ModelRequest): object {
  return {
    system: request.system,
    tools: saidTools(request),
    settings: saidSettings(request),
    messages: saidMessages(request),
  };
}

/**
 * Adds what was asked to a file, as a line of JSON.
 * @throws RondoError `input.invalid` where that cannot be.
 */
export function writeAsked(file: string, asked: unknown, place: string): void {
  try {
    appendFileSync(file, `${JSON.stringify(asked)}\n`);
  } catch (cause) {
    throw new RondoError('input.invalid', `${place} cannot write what was asked into ${file}: ${reasonOf(cause)}.`, {
      details: { file },
      cause,
    });
  }
}
