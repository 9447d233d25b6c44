import type { IncomingHttpHeaders } from 'node:http';

/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as an HTTP
 * date, else until the limit that is used up is whole again. Undefined when it does not ask or what it says cannot be
 * read.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const milliseconds = readNumber(headers['retry-after-ms']);
  if (milliseconds !== undefined) return Math.round(milliseconds);
  const header = headers['retry-after'];
  const seconds = readNumber(header);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  if (header === undefined || !/[a-z]/i.test(header)) return usedUpMs(headers);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(header: string | readonly string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(header)) return undefined;
  return Number(header);
}

/** `x-ratelimit-reset-requests` and `-tokens` of those limits of which nothing remains; the longer one of two. */
function usedUpMs(headers: IncomingHttpHeaders): number | undefined {
  const waits = ['requests', 'tokens'].flatMap((kind) => {
    if (readNumber(headers[`x-ratelimit-remaining-${kind}`]) !== 0) return [];
    return readDuration(headers[`x-ratelimit-reset-${kind}`]) ?? [];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration like `1s`, `6m0s` or `120ms`. */
function readDuration(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(header) ? sumDuration(header) : undefined;
}

function sumDuration(text: string): number {
  const parts = text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h)/g);
  return Math.round([...parts].reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitMs[unit] ?? 0), 0));
}

const saidWait =
  /\b(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s*(?:ms|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:ours?)?)\b\s*|\d+(?:\.\d+)?[hm](?=\d))+)/i;

/** How long a message asks to wait, in milliseconds: `Please try again in 7m12s.`, `retry after 59 seconds`. */
export function saidWaitMs(message: string): number | undefined {
  const said = saidWait.exec(message)?.[1];
  return said === undefined ? undefined : sumDuration(said.toLowerCase());
}
