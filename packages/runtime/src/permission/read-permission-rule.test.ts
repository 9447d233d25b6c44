import { expect, test } from 'vitest';
import { recordingTool } from '../testing/recording-tool.ts';
import { formatPermissionRule, printRule, withoutSecrets } from './print-rule.ts';
import { readPermissionRule, readPermissionRules } from './read-permission-rule.ts';

const rulesOf = (text: string, behavior: 'allow' | 'deny' | 'ask') =>
  readPermissionRule(text, behavior).rules.map(formatPermissionRule);
const said = (text: string, behavior: 'allow' | 'deny') =>
  readPermissionRule(text, behavior).notices.map(({ severity }) => severity);

// The form · as allow · as deny
test.each<[string, string[], string[]]>([
  ['Bash', ['Bash'], ['Bash']],
  [' Read ', ['Read'], ['Read']],
  ['Bash(*)', ['Bash'], ['Bash']],
  ['Edit(*)', ['Edit'], ['Edit']],
  ['Read(**)', ['Read'], ['Read']],
  ['Glob(**)', ['Glob'], ['Glob']],
  ['Task(*)', ['Task'], ['Task']],
  ['WebFetch(domain:*)', ['WebFetch'], ['WebFetch']],
  ['Bash( git add:* )', ['Bash(git add:*)'], ['Bash(git add:*)']],
  ['Read( ./secret )', ['Read(./secret)'], ['Read(./secret)']],
  ['Bash(npm run a:b:*)', ['Bash(npm run a:b:*)'], ['Bash(npm run a:b:*)']],
  [String.raw`Bash(echo \(a\))`, [String.raw`Bash(echo \(a\))`], [String.raw`Bash(echo \(a\))`]],
  ['Bash(echo (a) b)', [String.raw`Bash(echo \(a\) b)`], [String.raw`Bash(echo \(a\) b)`]],
  ['mcp__a__*', ['mcp__a'], ['mcp__a']],
  ['mcp__a-b__get', ['mcp__a-b__get'], ['mcp__a-b__get']],
  ['mcp__*', [], ['mcp__*']],
  ['mcp__a*', [], ['mcp__a*']],
  ['*', [], ['*']],
  ['Edit:*', [], ['Edit']],
  ['Bash:rm *', [], ['Bash']],
  ['Bash()', [], ['Bash']],
  ['Bash(:*)', [], ['Bash']],
  ['Bash(rm', [], ['Bash(rm:*)']],
  ['Read(.env', [], ['Read(.env)']],
  ['Bash(rm *) always', [], ['Bash(rm *)']],
  ['WebFetch(*.evil.test/*)', [], ['WebFetch(domain:*.evil.test)', 'WebFetch(domain:evil.test)']],
  ['WebFetch(https://evil.test/x)', [], ['WebFetch(domain:evil.test)']],
  ['WebFetch(domain:evil.test/x)', [], ['WebFetch(domain:evil.test)']],
  ['WebSearch(x)', [], ['WebSearch(x)']],
  ['mcp__a__b(x)', [], ['mcp__a__b(x)']],
  ['', [], []],
  ['(x)', [], []],
  ['Create', ['Create'], ['Create']],
  ['bash(rm:*)', ['bash(rm:*)'], ['bash(rm:*)', 'Bash(rm:*)']],
  ['SlashCommand(/review)', ['SlashCommand(review)'], ['SlashCommand(review)']],
  [String.raw`Read(C:\Users\u\x)`, ['Read(//c/Users/u/x)'], ['Read(//c/Users/u/x)']],
  ['Read(C:/Users/u)', ['Read(//c/Users/u)'], ['Read(//c/Users/u)']],
  ['Read(//C/Users/u)', ['Read(//c/Users/u)'], ['Read(//c/Users/u)']],
  [String.raw`Read(src\secret)`, ['Read(src/secret)'], ['Read(src/secret)']],
  ['Read(file:///etc/x)', ['Read(//etc/x)'], ['Read(//etc/x)']],
  ['Read(/Users/u/x)', ['Read(/Users/u/x)'], ['Read(/Users/u/x)', 'Read(//Users/u/x)']],
])('%s', (text, allow, deny) => {
  expect(rulesOf(text, 'allow')).toEqual(allow);
  expect(rulesOf(text, 'deny')).toEqual(deny);
  expect(rulesOf(text, 'ask')).toEqual(deny);
  // What grants nothing says why.
  if (allow.length === 0) expect(said(text, 'allow')).toContain('error');
});

test.each([
  ['Bash(git:*)', []],
  ['Read(./src/**)', []],
  ['Read(/tmp/x)', ['warning']],
  ['Create', ['warning']],
  ['Bash(if:*)', ['warning']],
  ['Bash(do rm x)', ['warning']],
  ['Bash(git:* push)', ['warning']],
  ['Bash(python -c ":*)', ['advice']],
  ['Bash(sudo:*)', ['advice']],
  ['Bash(env *)', ['advice']],
  ['Bash(xargs:*)', ['advice']],
  ['Bash(node:*)', ['advice']],
  ['Bash(curl:*)', ['advice']],
  ['Bash(* deploy *)', ['advice']],
  ['Bash', []],
  ['Bash(*)', ['advice']],
  ['Bash(node scripts/x.js:*)', []],
  ['Bash(python x.py)', []],
])('as allow, of %s is said %j', (text, severities) => {
  expect(said(text, 'allow')).toEqual(severities);
});

test('a list keeps its good entries, names the bad ones, and holds nothing twice', () => {
  const { rules, notices } = readPermissionRules(['Read', 1, 'Bash(ls', null, 'Read', 'Edit'], 'allow');
  expect(rules.map(formatPermissionRule)).toEqual(['Read', 'Edit']);
  expect(notices.map(({ rule, severity }) => [rule, severity])).toEqual([
    ['1', 'error'],
    ['Bash(ls', 'error'],
    ['null', 'error'],
  ]);
  expect(readPermissionRules('*', 'allow').rules).toEqual([]);
  expect(readPermissionRules('Bash(rm:*)', 'deny').rules).toHaveLength(1);
  expect(readPermissionRules({ a: 1 }, 'deny')).toMatchObject({ rules: [], notices: [{ severity: 'error' }] });
  expect(readPermissionRules(undefined, 'allow')).toEqual({ rules: [], notices: [] });
});

test('a tool of the session is no unknown one, and its kind of content counts', () => {
  const tools = [recordingTool({ name: 'Deploy', ruleContent: 'name' })];
  expect(readPermissionRule('Deploy(staging)', 'allow', { tools }).notices).toEqual([]);
  expect(readPermissionRule('Deploy(staging)', 'allow').notices).toMatchObject([{ severity: 'warning' }]);
  expect(readPermissionRule('Raed', 'allow').notices[0]?.suggestion).toBe('did you mean Read?');
});

test.each([
  ['curl -H "Authorization: Bearer abcdefgh12345678"', 'abcdefgh12345678'],
  ['API_KEY=sk-ant-0123456789abcdef node x', 'sk-ant-0123456789abcdef'],
  ['git clone https://me:ghp_0123456789abcdefghij@host/x', 'ghp_0123456789abcdefghij'],
  ['tool --token 9f8e7d6c5b4a', '9f8e7d6c5b4a'],
  ['x AbCdEf0123456789AbCdEf0123456789', 'AbCdEf0123456789AbCdEf0123456789'],
])('what looks like a secret in %s is not shown', (content, secret) => {
  expect(printRule({ toolName: 'Bash', content })).not.toContain(secret);
  expect(readPermissionRule(`Bash(${content}`, 'allow').notices[0]?.rule).not.toContain(secret);
});

test('what is no secret is shown as it is', () => {
  for (const text of [
    'git push origin main',
    'npm run test:unit -- --grep "a b"',
    'Read(./secrets/**)',
    'cat /very/long/path/With0Numbers/AndCapitals/src/index.ts',
    'WebFetch(domain:*.example.com)',
    'cat .env*',
  ])
    expect(withoutSecrets(text)).toBe(text);
});
