import type { SDKResultMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { errorOfResult } from '../run/error-of-result.ts';
import type { PeerExit } from './start-peer-process.ts';

/**
 * What a peer's end means to the reader, who has read all that it said: nothing where it ended well, with or without a
 * result. One that ends badly behind a result that is an error says the same twice; behind a good one it is news.
 */
export function exitProblem(
  { code, signal, error }: PeerExit,
  lastResult: SDKResultMessage | undefined,
  stderr: string,
): RondoError | undefined {
  if (error !== undefined) return error;
  if (code === 0) return undefined;
  if (lastResult?.is_error === true) return errorOfResult(lastResult);
  const how = typeof code === 'number' ? `exited with code ${code}` : `was terminated by signal ${signal ?? 'unknown'}`;
  const said = stderr.trim() === '' ? '' : `. stderr: ${stderr.trim()}`;
  return new RondoError('channel.closed', `the peer process ${how}${said}`, {
    retryable: false,
    details: { exitCode: code ?? null, signal: signal ?? null },
  });
}
