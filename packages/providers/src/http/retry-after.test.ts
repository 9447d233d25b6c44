import { expect, test } from 'vitest';
import { retryAfterMs, saidWaitMs } from './retry-after.ts';

const now = Date.parse('Mon, 30 Nov 2026 10:00:00 GMT');

test.each([
  [{ 'retry-after': '3' }, 3_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': 'Mon, 30 Nov 2026 10:00:07 GMT' }, 7_000],
  [{ 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
  [{ 'retry-after': 'later' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0.5s' }, 360_500],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms', 'retry-after': '1' }, 1_000],
  [{ 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '1s' }, undefined],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'soon' }, undefined],
])('%j asks for %s ms', (headers, expected) => {
  expect(retryAfterMs(headers, now)).toBe(expected);
});

test.each([
  ['Rate limit reached for gpt-5 on tokens per min. Please try again in 11.054s. Visit the page.', 11_054],
  ['Please try again in 7m12.5s. Need more tokens?', 432_500],
  ['Please try again in 120ms.', 120],
  ['You have exceeded the token rate limit. Please retry after 59 seconds.', 59_000],
  ['Please retry after 1 second. To raise it, write to us.', 1_000],
  ['You exceeded your current quota. Please retry in 34.5s.', 34_500],
  ['Try again in 2h5m.', 7_500_000],
  ['Try again in 3 minutes', 180_000],
  ['Please try again later.', undefined],
  ['Please try again in a few seconds.', undefined],
  ['Please try again in 5 shifts.', undefined],
])('"%s" asks for %s ms', (message, expected) => {
  expect(saidWaitMs(message)).toBe(expected);
});
