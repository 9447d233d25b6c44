import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordingTool } from '../testing/recording-tool.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { applyPermissionUpdates, checkPermissionUpdates, unwrittenUpdates } from './apply-permission-updates.ts';
import { type AgentPermissionRule, compilePolicy, type CompilePolicyOptions, isToolRemoved } from './compile-policy.ts';
import { parsePermissionRule, splitPermissionRules } from './permission-rule.ts';
import { policyHash } from './policy-hash.ts';
import type { Policy } from './policy.ts';
import { formatPermissionRule, printRule } from './print-rule.ts';
import { sessionRuleFor } from './session-rule.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const compile = (options: Partial<CompilePolicyOptions> = {}) => compilePolicy({ directories: ['/work'], ...options });

test('a rule is read in parts: first to last parenthesis, three escapes, blanks around it trimmed', () => {
  expect(parsePermissionRule(' Read ')).toEqual({ behavior: 'allow', toolName: 'Read' });
  expect(parsePermissionRule('Bash(git commit -m "a (b)")', 'deny')).toEqual({
    behavior: 'deny',
    toolName: 'Bash',
    content: 'git commit -m "a (b)"',
  });
  expect(parsePermissionRule(String.raw`Bash(echo \(\) \\ \n)`).content).toBe(String.raw`echo () \ \n`);
  expect(parsePermissionRule('mcp__plugin_a-b__tool').toolName).toBe('mcp__plugin_a-b__tool');
});

test('writing a rule and reading it again gives the rule', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((text) => text === text.trim() && !['', '*', '**', ':*'].includes(text)),
      fc.constantFrom('Bash', 'Deploy'),
      (content, toolName) => {
        const rule = { behavior: 'allow' as const, toolName, content };
        expect(parsePermissionRule(formatPermissionRule(rule))).toEqual(rule);
      },
    ),
  );
});

test('a list is split at commas and blanks outside parentheses', () => {
  expect(splitPermissionRules('Read, Edit Bash(git commit -m "a, b"),Bash(echo \\) x) ,,Write')).toEqual([
    'Read',
    'Edit',
    'Bash(git commit -m "a, b")',
    'Bash(echo \\) x)',
    'Write',
  ]);
  expect(splitPermissionRules('Bash(f (a b) c),Read')).toEqual(['Bash(f (a b) c)', 'Read']);
  expect(splitPermissionRules(' ')).toEqual([]);
});

test.each([
  ['*', /patterns of tool names/],
  ['Edit*', /patterns of tool names/],
  ['Edit:*', /write Edit$/],
  ['Bash:rm -rf *', /write Bash\(rm -rf \*\)/],
  ['WebFetch(*.example.com/*)', /write WebFetch\(domain:\*\.example\.com\)/],
  ['WebSearch(x)', /calls of WebSearch are not compared with content/],
  ['mcp__files__read(x)', /not compared with content/],
  ['Bash()', /write Bash for every call/],
  ['Bash(:*)', /write Bash for every call/],
  ['Bash(ls', /not closed/],
  ['Bash(ls) x', /not closed/],
  ['', /no tool name/],
  ['(x)', /no tool name/],
])('%s is refused when the policy is compiled, as allow, ask and deny', (rule, message) => {
  for (const key of ['allowedTools', 'askTools', 'disallowedTools']) {
    expect(() => compile({ [key]: ['Read', rule] })).toThrow(message);
    expect(() => compile({ [key]: [rule] })).toThrow(
      expect.objectContaining({ code: 'permission.rule_unsupported', details: { rule } }),
    );
  }
});

test('servers may be denied by a pattern, and never allowed by one', () => {
  expect(() => compile({ allowedTools: ['mcp__*'] })).toThrow(/patterns of servers/);
  expect(() => compile({ allowedTools: ['mcp__a*__read'] })).toThrow(/patterns of servers/);
  expect(compile({ disallowedTools: ['mcp__*'] }).sources[0]?.rules).toEqual([
    { behavior: 'deny', toolName: 'mcp__*' },
  ]);
  expect(compile({ allowedTools: ['mcp__a__*', 'mcp__a__get_*'] }).sources[0]?.rules).toEqual([
    { behavior: 'allow', toolName: 'mcp__a' },
    { behavior: 'allow', toolName: 'mcp__a__get_*' },
  ]);
});

test("a custom tool's rules may have the content that its calls are compared with", () => {
  const deploy = recordingTool({ name: 'Deploy', ruleContent: 'command' });
  expect(compile({ allowedTools: ['Deploy(staging)'], tools: [deploy] }).sources[0]?.rules).toEqual([
    { behavior: 'allow', toolName: 'Deploy', content: 'staging' },
  ]);
  const silent = recordingTool({ name: 'Deploy', ruleContent: 'none' });
  expect(() => compile({ allowedTools: ['Deploy(staging)'], tools: [silent] })).toThrow(/not compared with content/);
});

test('bypassing needs leave, and is refused to root outside a sandbox', () => {
  const bypass = { mode: 'bypassPermissions' } as const;
  const refused = expect.objectContaining({ code: 'permission.bypass_refused' });
  expect(() => compile(bypass)).toThrow(refused);
  expect(() => compile({ ...bypass, allowDangerouslySkipPermissions: true, isRoot: true })).toThrow(/running as root/);
  expect(compile({ ...bypass, allowDangerouslySkipPermissions: true, isRoot: true, isSandbox: true }).mode).toBe(
    'bypassPermissions',
  );
  expect(compile({ ...bypass, allowDangerouslySkipPermissions: true }).allowsBypass).toBe(true);
  expect(compile({ allowDangerouslySkipPermissions: true, isRoot: true }).allowsBypass).toBeUndefined();
});

test('what this version cannot do is refused, and folders must be absolute', () => {
  expect(() => compile({ mode: 'auto' })).toThrow(/"auto" needs a classifier/);
  expect(compile({ mode: 'auto', hasClassifier: true })).toMatchObject({ mode: 'auto', allowsAuto: true });
  expect(() => compile({ directories: ['work'] })).toThrow(/must be an absolute path/);
  expect(() =>
    compile({ agentPolicy: { default: 'ask', rules: [{ tools: ['client.*'], decision: 'allow' }] } }),
  ).toThrow(/patterns of tool names/);
});

describe('rules by arguments', () => {
  const withRule = (rule: AgentPermissionRule): Policy => compile({ agentPolicy: { default: 'ask', rules: [rule] } });

  test('say what they are about', () => {
    const { sources } = withRule({
      tools: ['refund', 'charge'],
      decision: 'allow',
      arguments: { amount: { atMost: 9 } },
    });
    expect(sources[0]?.rules.map(printRule)).toEqual([
      'refund {"amount":{"atMost":9}}',
      'charge {"amount":{"atMost":9}}',
    ]);
  });

  test('are refused for what is told apart by its own words, in every spelling of the tool', () => {
    for (const tool of ['Bash', 'Read', 'Edit', 'MultiEdit', 'WebFetch', 'Bash(git status)']) {
      const rule: AgentPermissionRule = { tools: [tool], decision: 'deny', arguments: { command: 'ls' } };
      expect(() => withRule(rule)).toThrow(/by the rule's own words/);
    }
  });

  test('are refused where they are no matchers, since a deny rule would be lost', () => {
    const wrong: unknown[] = [{}, { a: {} }, { a: [1] }, { a: { matches: 1 } }, { a: { oneOf: [] } }, { a: { is: 1 } }];
    wrong.push({ a: { equals: 1, matches: 'x' } }, { a: { atMost: Number.NaN } }, { a: undefined });
    for (const given of wrong) {
      const rule = { tools: ['refund'], decision: 'deny', arguments: given } as AgentPermissionRule;
      expect(() => withRule(rule)).toThrow(/permission policy rule for refund: .*argument/);
    }
  });
});

test('a deny rule without content takes the tool from the model, nothing else does', () => {
  const policy = compile({
    disallowedTools: ['WebFetch', 'Bash(ls)', 'mcp__files'],
    allowedTools: ['Read'],
    agentMode: 'deny',
  });
  const removed = ['WebFetch', 'Bash', 'Read', 'mcp__files__read', 'mcp__filesystem__read'].filter((name) =>
    isToolRemoved(policy, name),
  );
  expect(removed).toEqual(['WebFetch', 'mcp__files__read']);
});

test('equal policies have one hash, another rule or mode has another', () => {
  const hash = (options: Partial<CompilePolicyOptions>) => policyHash(compile(options), sha256);
  expect(hash({ allowedTools: ['Read'] })).toBe(hash({ allowedTools: ['Read'], disallowedTools: [] }));
  const all = [
    {},
    { allowedTools: ['Read'] },
    { disallowedTools: ['Read'] },
    { mode: 'plan' as const },
    { directories: ['/work', '/x'] as const },
    { home: '/h' },
    { hasClassifier: true },
    { protected: ['/x'] },
    { sandbox: { autoAllow: true, excludedCommands: [], allowUnsandboxed: false } },
    { sandbox: { autoAllow: true, excludedCommands: ['docker'], allowUnsandboxed: false } },
  ];
  expect(new Set(all.map((options) => hash(options as Partial<CompilePolicyOptions>))).size).toBe(all.length);
});

test('updates act for the session; what would need a settings file is told apart', () => {
  const add = { type: 'addRules', behavior: 'allow', rules: [{ toolName: 'Bash', ruleContent: 'ls' }] } as const;
  const updates = [
    { ...add, destination: 'localSettings', rules: [...add.rules] },
    { ...add, destination: 'session', rules: [...add.rules] },
    { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    { type: 'addDirectories', directories: ['/more', 'sub'], destination: 'session' },
  ] as const;
  const policy = applyPermissionUpdates(
    compile({ disallowedTools: ['Write'] }),
    updates.map((update) => structuredClone(update)) as never,
  );
  expect(policy).toMatchObject({ mode: 'acceptEdits', directories: ['/work', '/more', '/work/sub'] });
  expect(policy.sources.map(({ name, rules }) => [name, rules.length])).toEqual([
    ['disallowedTools', 1],
    ['localSettings', 1],
    ['session', 1],
  ]);
  expect(unwrittenUpdates(updates as never)).toEqual([updates[0]]);
});

test('rules are replaced and removed where they were added, and the session folder is never removed', () => {
  const rules = (...names: string[]) => names.map((toolName) => ({ toolName }));
  const policy = applyPermissionUpdates(compile({ allowedTools: ['Read'] }), [
    { type: 'addRules', behavior: 'allow', rules: rules('A', 'B'), destination: 'session' },
    { type: 'addRules', behavior: 'deny', rules: rules('C'), destination: 'session' },
    { type: 'replaceRules', behavior: 'allow', rules: rules('D', 'E'), destination: 'session' },
    { type: 'removeRules', behavior: 'allow', rules: rules('E', 'C', 'Read'), destination: 'session' },
    { type: 'removeDirectories', directories: ['/work'], destination: 'session' },
  ]);
  expect(
    policy.sources
      .find(({ name }) => name === 'session')
      ?.rules.map(({ behavior, toolName }) => `${behavior} ${toolName}`),
  ).toEqual(['deny C', 'allow D']);
  expect(policy.sources.find(({ name }) => name === 'allowedTools')?.rules).toHaveLength(1);
  expect(policy.directories).toEqual(['/work']);
});

test('an update that would have to be bent is refused before it is stored, and never widens when it comes from a log', () => {
  const rule = { toolName: 'Bash', ruleContent: ':*' };
  const policy = compile();
  const add = (behavior: 'allow' | 'deny') => ({
    type: 'addRules' as const,
    behavior,
    rules: [rule],
    destination: 'session' as const,
  });
  expect(() => checkPermissionUpdates(policy, [add('allow')])).toThrow(/write Bash for every call/);
  expect(applyPermissionUpdates(policy, [add('allow')]).sources.flatMap(({ rules }) => rules)).toEqual([]);
  expect(applyPermissionUpdates(policy, [add('deny')]).sources.flatMap(({ rules }) => rules)).toEqual([
    { behavior: 'deny', toolName: 'Bash' },
  ]);
  const deploy = {
    type: 'addRules' as const,
    behavior: 'allow' as const,
    rules: [{ toolName: 'Deploy', ruleContent: 'staging' }],
  };
  const custom = { ...deploy, destination: 'session' as const };
  expect(() => checkPermissionUpdates(policy, [custom])).not.toThrow();
  expect(applyPermissionUpdates(policy, [custom]).sources.flatMap(({ rules }) => rules)).toHaveLength(1);
  const auto = { type: 'setMode' as const, mode: 'auto' as const, destination: 'session' as const };
  expect(() => checkPermissionUpdates(policy, [auto])).toThrow(/needs a classifier/);
  expect(applyPermissionUpdates(policy, [auto]).mode).toBe('default');
  expect(applyPermissionUpdates(compile({ hasClassifier: true }), [auto]).mode).toBe('auto');
  const bypass = { type: 'setMode' as const, mode: 'bypassPermissions' as const, destination: 'session' as const };
  expect(() => checkPermissionUpdates(policy, [bypass])).toThrow(/was not allowed when the session was started/);
  expect(applyPermissionUpdates(policy, [bypass]).mode).toBe('default');
  const allowed = compile({ allowDangerouslySkipPermissions: true });
  expect(applyPermissionUpdates(allowed, [bypass]).mode).toBe('bypassPermissions');
});

test('the rule of a question is these exact arguments', () => {
  const Bash = recordingTool({
    name: 'Bash',
    ruleContent: 'command',
    access: ({ command }) => ({ command: textOf(command) }),
  });
  const Write = recordingTool({
    name: 'Write',
    ruleContent: 'path',
    access: ({ path }) => ({ writes: [textOf(path)] }),
  });
  expect(sessionRuleFor(Bash, { command: 'git status' })).toEqual({ toolName: 'Bash', ruleContent: 'git status' });
  expect(sessionRuleFor(Bash, { command: 'ls *.ts' })).toEqual({
    toolName: 'Bash',
    ruleContent: 'ls *.ts',
    literal: true,
  });
  expect(sessionRuleFor(Write, { path: '/etc/x' })).toEqual({ toolName: 'Write', ruleContent: '//etc/x' });
  expect(sessionRuleFor(Write, { path: 'x' })).toEqual({ toolName: 'Write', ruleContent: './x' });
  expect(sessionRuleFor(recordingTool({ name: 'Other' }), { b: 1, a: 2 })).toEqual({
    toolName: 'Other',
    ruleContent: '{"a":2,"b":1}',
    literal: true,
  });
});
