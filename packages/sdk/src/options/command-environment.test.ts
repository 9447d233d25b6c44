import { expect, test } from 'vitest';
import { commandEnvironment, providerSecrets, withGitSettings } from './command-environment.ts';
import { modelRetries } from './model-retries.ts';

const env = {
  PATH: '/bin',
  ANTHROPIC_API_KEY: 'sk-ant-0123456789',
  ANTHROPIC_AUTH_TOKEN: 'token-0123456789',
  AZURE_OPENAI_API_KEY: 'azure-0123456789',
  OPENAI_ORG_API_KEY: 'short',
  CLAUDE_CODE_OAUTH_TOKEN: 'oauth-0123456789\n',
  AWS_BEARER_TOKEN_BEDROCK: 'bedrock-0123456789',
  CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: 'phrase-0123456789',
  ANTHROPIC_BASE_URL: 'https://user:password-1@gateway.example/v1',
  OPENAI_BASE_URL: 'https://gateway.example:8080/v1',
  GITHUB_TOKEN: 'the-work-needs-it',
  MY_API_KEY: 'of-the-program',
  GONE: undefined,
};

test('commands see everything but the keys of model providers', () => {
  expect(commandEnvironment(env)).toEqual({
    PATH: '/bin',
    OPENAI_BASE_URL: 'https://gateway.example:8080/v1',
    GITHUB_TOKEN: 'the-work-needs-it',
    MY_API_KEY: 'of-the-program',
  });
});

test('those keys are secrets, unless they are too short to be one', () => {
  expect(providerSecrets(env)).toEqual([
    'sk-ant-0123456789',
    'token-0123456789',
    'azure-0123456789',
    'oauth-0123456789',
    'bedrock-0123456789',
    'phrase-0123456789',
  ]);
});

test('a variable that settings name for a key is one, whatever it is called', () => {
  const named = { PATH: '/bin', HOUSE_WORD: 'our-own-server-0123456789\n', SHORT: 'abc' };
  expect(commandEnvironment(named, ['HOUSE_WORD', 'SHORT', 'UNSET'])).toEqual({ PATH: '/bin' });
  expect(providerSecrets(named, ['HOUSE_WORD', 'SHORT', 'UNSET'])).toEqual(['our-own-server-0123456789']);
});

test.each([
  'GEMINI',
  'GOOGLE_GENERATIVE_AI',
  'MISTRAL',
  'OPENROUTER',
  'DEEPSEEK',
  'GROQ',
  'OLLAMA',
  'VLLM',
  'AI_GATEWAY',
])('no command sees the key of %s', (vendor) => {
  expect(commandEnvironment({ [`${vendor}_API_KEY`]: 'key-0123456789' })).toEqual({});
});

test('retries are read as the reference reads them: a whole number, 15 at most', () => {
  expect(modelRetries({})).toBeUndefined();
  expect(modelRetries({ CLAUDE_CODE_MAX_RETRIES: 'many' })).toBeUndefined();
  expect(modelRetries({ CLAUDE_CODE_MAX_RETRIES: '0' })).toEqual({ maxRetries: 0 });
  expect(modelRetries({ CLAUDE_CODE_MAX_RETRIES: '300' })).toEqual({ maxRetries: 15 });
  const watched = { CLAUDE_CODE_RETRY_WATCHDOG: '1' };
  expect(modelRetries(watched)).toEqual({ maxRetries: 300, waitsForCapacity: true });
  expect(modelRetries({ ...watched, CLAUDE_CODE_MAX_RETRIES: '400' })).toMatchObject({ maxRetries: 400 });
  expect(modelRetries({ CLAUDE_CODE_RETRY_WATCHDOG: '0' })).toBeUndefined();
});

test('a person’s own settings of git stay in front of those that take programs away', () => {
  const own = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*', A: 'a' };
  const git = {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: 'false',
    GIT_CONFIG_KEY_1: 'core.pager',
    GIT_CONFIG_VALUE_1: 'cat',
  };
  expect(withGitSettings(own, git)).toEqual({
    ...own,
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_1: 'core.fsmonitor',
    GIT_CONFIG_VALUE_1: 'false',
    GIT_CONFIG_KEY_2: 'core.pager',
    GIT_CONFIG_VALUE_2: 'cat',
  });
  expect(withGitSettings(own, {})).toEqual(own);
  expect(withGitSettings({}, git)).toEqual(git);
  // Where git is to do nothing it does nothing, whatever was there.
  expect(withGitSettings(own, { GIT_CONFIG_COUNT: 'not trusted' }).GIT_CONFIG_COUNT).toBe('not trusted');
  expect(withGitSettings({ GIT_CONFIG_COUNT: 'x' }, git)).toEqual(git);
});
