import { expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

test('keys and tokens are gone, and nothing else', () => {
  const redact = createRedactor({
    ANTHROPIC_API_KEY: 'sk-test-12345678',
    OTHER_API_KEY: 'sk-test-12345678-longer',
    VENDOR_AUTH_TOKEN: 'quote"and\\slash',
    SHORT_API_KEY: 'abc',
    HOME: '/home/someone',
    EMPTY_API_KEY: '',
    NONE_API_KEY: undefined,
    CLAUDE_CODE_OAUTH_TOKEN: 'oauth-12345678',
    GITHUB_TOKEN: 'github-12345678',
    AWS_SECRET_ACCESS_KEY: 'aws-12345678',
    HTTPS_PROXY: 'http://me:proxy%2Dpass@proxy.example:3128',
  });
  expect(redact('oauth-12345678 github-12345678 aws-12345678 proxy%2Dpass proxy-pass')).toBe(
    '[redacted] [redacted] [redacted] [redacted] [redacted]',
  );
  expect(redact('x-api-key: sk-test-12345678, sk-test-12345678-longer abc /home/someone')).toBe(
    'x-api-key: [redacted], [redacted] abc /home/someone',
  );
  expect(redact(JSON.stringify({ header: 'quote"and\\slash' }))).toBe('{"header":"[redacted]"}');
  expect(redact('quote"and\\slash')).toBe('[redacted]');
});

test('variables that settings name for keys are asked for once, when the first text comes', () => {
  let asked = 0;
  const redact = createRedactor({ HOUSE_WORD: 'our-server-0123456789', PATH: '/usr/local/bin' }, () => {
    asked += 1;
    return ['HOUSE_WORD'];
  });
  expect(asked).toBe(0);
  expect(redact('at /usr/local/bin: our-server-0123456789')).toBe('at /usr/local/bin: [redacted]');
  expect(redact('our-server-0123456789')).toBe('[redacted]');
  expect(asked).toBe(1);
});
