import { expect, test } from 'vitest';
import { postTimeouts, timeoutsFromEnvironment } from './timeouts.ts';

const minute = 60_000;

test.each([
  [{}, { headersMs: minute, firstByteMs: minute, idleMs: minute }],
  [{ API_TIMEOUT_MS: '5000' }, { headersMs: 5_000, firstByteMs: 5_000, idleMs: minute }],
  [{ API_TIMEOUT_MS: '600000' }, { headersMs: 600_000, firstByteMs: minute, idleMs: minute }],
  [{ CLAUDE_STREAM_IDLE_TIMEOUT_MS: '2000' }, { headersMs: minute, firstByteMs: 2_000, idleMs: 2_000 }],
  [{ CLAUDE_ENABLE_STREAM_WATCHDOG: '0' }, { headersMs: minute, firstByteMs: minute, idleMs: undefined }],
  [
    { CLAUDE_ENABLE_STREAM_WATCHDOG: 'false', CLAUDE_STREAM_IDLE_TIMEOUT_MS: '2000' },
    { headersMs: minute, firstByteMs: minute, idleMs: undefined },
  ],
  [{ CLAUDE_ENABLE_STREAM_WATCHDOG: '1' }, { headersMs: minute, firstByteMs: minute, idleMs: minute }],
  [
    { API_TIMEOUT_MS: '1', CLAUDE_STREAM_IDLE_TIMEOUT_MS: '-1' },
    { headersMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
  ],
  [
    { API_TIMEOUT_MS: 'soon', CLAUDE_STREAM_IDLE_TIMEOUT_MS: '' },
    { headersMs: minute, firstByteMs: minute, idleMs: minute },
  ],
])('%j', (env, expected) => {
  expect(postTimeouts(timeoutsFromEnvironment(env))).toEqual(expected);
});
