import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

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
