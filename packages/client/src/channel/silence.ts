import { RondoError } from '@rondo/protocol/values';

/** Three beats of a host that beats as it does unless told otherwise. */
export const DEFAULT_SILENCE_MS = 90_000;

/**
 * What is said of a host that has said nothing for so long, not even that it is there: its machine or the network between
 * may be gone without a word. Asking it again is cheap.
 */
export function silentHost(host: string, silenceMs: number): RondoError {
  return new RondoError(
    'channel.closed',
    `the host at ${host} has said nothing for ${silenceMs / 1000} seconds, not even that it is there; connect again to go on`,
    { details: { silenceMs } },
  );
}
