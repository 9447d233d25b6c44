import type { IncomingHttpHeaders } from 'node:http';

/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as an HTTP
 * date. Undefined when it does not ask or what it says cannot be read.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const milliseconds = readNumber(headers['retry-after-ms']);
  if (milliseconds !== undefined) return Math.round(milliseconds);
  const header = headers['retry-after'];
  const seconds = readNumber(header);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  if (header === undefined || !/[a-z]/i.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(header: string | readonly string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(header)) return undefined;
  return Number(header);
}
