import type { JsonObject, ToolEffect } from '@rondo/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordingTool, type RecordingToolOptions } from '../testing/recording-tool.ts';
import type { Tool, ToolAccess } from '../tool/tool.ts';
import { compilePolicy, type CompilePolicyOptions } from './compile-policy.ts';
import type { PermissionDecision } from './decide-permission.ts';
import { explainDecision } from './explain-decision.ts';
import { judgeCall } from './judge-call.ts';
import { normalPath } from './lexical-path.ts';
import { describePermissionOrder } from './permission-order.ts';
import type { Policy, PolicyRule } from './policy.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const pathOf = (input: JsonObject): string => textOf(input['path']);
const makeTool = (name: string, options: Omit<RecordingToolOptions, 'name'> = {}): Tool =>
  recordingTool({ name, ...options });
const Read = makeTool('Read', { ruleContent: 'path', effect: 'none', access: (input) => ({ reads: [pathOf(input)] }) });
const editing = {
  ruleContent: 'path',
  access: (input: JsonObject): ToolAccess => ({ reads: [pathOf(input)], writes: [pathOf(input)] }),
} as const;
const Edit = makeTool('Edit', { ...editing, effect: 'once' });
const Write = makeTool('Write', { ...editing, effect: 'idempotent' });
const Patch = makeTool('Patch', {
  ruleContent: 'path',
  effect: 'once',
  access: (input) => ({ writes: [pathOf(input)] }),
});
const Bash = makeTool('Bash', { ruleContent: 'command', access: (input) => ({ command: textOf(input['command']) }) });
const Custom = makeTool('mcp__files__read');
const Quiet = makeTool('Quiet', { effect: 'none' });

interface Asking {
  readonly policy?: Policy;
  readonly unattended?: boolean;
  readonly answered?: boolean;
  readonly foldCase?: boolean;
  /** Where links lead: a prefix and what stands for it. A null cannot be resolved. */
  readonly links?: Readonly<Record<string, string | null>>;
}

async function decide(tool: Tool, input: JsonObject, asking: Asking = {}): Promise<PermissionDecision> {
  const { policy = policyOf(), unattended = false, links = {}, ...rest } = asking;
  const resolvePath = (path: string): Promise<string> => {
    const link = Object.keys(links).find((prefix) => path === prefix || path.startsWith(`${prefix}/`));
    const target = link === undefined ? undefined : links[link];
    if (target === null) return Promise.reject(new Error('loop'));
    return Promise.resolve(
      normalPath('/', target === undefined || link === undefined ? path : target + path.slice(link.length)),
    );
  };
  return await judgeCall({ tool, input, policy, resolvePath, unattended, ...rest });
}

function policyOf(options: Partial<CompilePolicyOptions> = {}): Policy {
  return compilePolicy({ directories: ['/work', '/extra'], home: '/home/me', ...options });
}

describe('the table of the modes', () => {
  const bypass = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
  const columns = [
    { policy: policyOf() },
    { policy: policyOf(), unattended: true },
    { policy: policyOf({ mode: 'acceptEdits' }) },
    { policy: policyOf({ mode: 'dontAsk' }) },
    { policy: policyOf({ mode: 'plan' }) },
    { policy: policyOf(bypass) },
  ];
  // default · nobody to ask · acceptEdits · dontAsk · plan · bypassPermissions
  test.each<[string, Tool, JsonObject, string]>([
    ['Read in cwd', Read, { path: 'a.ts' }, 'allow allow allow allow allow allow'],
    ['Read in an additional directory', Read, { path: '/extra/a.ts' }, 'allow allow allow allow allow allow'],
    ['Read outside', Read, { path: '/etc/hostname' }, 'ask deny ask deny allow allow'],
    ['Edit in cwd', Edit, { path: 'a.ts' }, 'ask deny allow deny deny allow'],
    ['Write in cwd', Write, { path: '/work/a.ts' }, 'ask deny allow deny deny allow'],
    ['Write outside', Write, { path: '../other/a.ts' }, 'ask deny ask deny deny allow'],
    ['Bash', Bash, { command: 'git init' }, 'ask deny ask deny deny allow'],
    ['a tool that says nothing of itself', Custom, {}, 'ask deny ask deny deny allow'],
    ['a tool without effect that says not what it reads', Quiet, {}, 'ask deny ask deny ask allow'],
    ['Write of the settings', Write, { path: '.claude/settings.json' }, 'ask deny ask deny deny allow'],
    ['Write of a git hook', Write, { path: '/work/.git/hooks/pre-commit' }, 'ask deny ask deny deny allow'],
    ['Edit of a shell start file', Edit, { path: '.BashRC' }, 'ask deny ask deny deny allow'],
    ['Read of the settings', Read, { path: '.claude/settings.json' }, 'allow allow allow allow allow allow'],
  ])('%s', async (_name, tool, input, expected) => {
    const decisions = await Promise.all(columns.map((column) => decide(tool, input, column)));
    expect(decisions.map(({ decision }) => decision).join(' ')).toBe(expected);
  });

  test('every decision names its step, its reason, and what blocks it', async () => {
    expect(await decide(Write, { path: '.rondo/settings.json' })).toMatchObject({
      reasonType: 'safetyCheck',
      blockedPath: '.rondo/settings.json',
    });
    expect(await decide(Write, { path: '/etc/x' })).toMatchObject({ reasonType: 'workingDir', blockedPath: '/etc/x' });
    expect(await decide(Write, { path: 'x' }, { policy: policyOf({ mode: 'plan' }) })).toMatchObject({
      reasonType: 'mode',
      step: 'mode',
    });
    expect(await decide(Bash, { command: 'make' }, { unattended: true })).toMatchObject({ reasonType: 'unattended' });
    const allowed = await decide(Bash, { command: 'make' }, { policy: policyOf({ allowedTools: ['Bash(make)'] }) });
    expect(allowed).toMatchObject({ reasonType: 'rule', rule: 'Bash(make)', source: 'allowedTools' });
    expect(explainDecision(allowed)).toBe('Allowed at step 5 (Allow rules): allowed by allowedTools: Bash(make).');
    expect(describePermissionOrder().split('\n')).toHaveLength(7);
  });
});

describe('rules', () => {
  const decisionOf = async (
    tool: Tool,
    input: JsonObject,
    options: Partial<CompilePolicyOptions>,
    asking: Asking = {},
  ) => (await decide(tool, input, { ...asking, policy: policyOf({ tools: [Bash, Read], ...options }) })).decision;

  test('a shell rule without a star is the exact line and nothing else', async () => {
    const options = { allowedTools: ['Bash(git status)'], disallowedTools: ['Bash(git push)'] };
    expect(await decisionOf(Bash, { command: ' git status\n' }, options)).toBe('allow');
    expect(await decisionOf(Bash, { command: 'git status; rm -rf /' }, options)).toBe('ask');
    expect(await decisionOf(Bash, { command: 'git push' }, { ...options, allowedTools: ['Bash'] })).toBe('deny');
  });

  test('deny beats ask beats allow, in whatever source; an ask is asked under bypassPermissions', async () => {
    const input = { command: 'ls' };
    expect(
      await decisionOf(Bash, input, { allowedTools: ['Bash'], askTools: ['Bash(ls)'], disallowedTools: ['Bash(ls)'] }),
    ).toBe('deny');
    expect(await decisionOf(Bash, input, { allowedTools: ['Bash'], askTools: ['Bash(ls)'] })).toBe('ask');
    const bypass = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
    expect(await decisionOf(Bash, input, { ...bypass, askTools: ['Bash'] })).toBe('ask');
    expect(await decisionOf(Bash, input, { ...bypass, disallowedTools: ['Bash(ls)'] })).toBe('deny');
    expect(await decisionOf(Edit, { path: 'a' }, { mode: 'plan', askTools: ['Edit'] })).toBe('deny');
  });

  test.each([
    ['Read(//etc/hosts)', '/etc/hosts'],
    ['Read(~/notes/a)', '/home/me/notes/a'],
    ['Read(../sibling/x)', '/sibling/x'],
    ['Read(/src/x)', '/work/src/x'],
    ['Read(./src/../src/x)', 'src/./x'],
  ])('%s names %s', async (rule, path) => {
    expect(await decisionOf(Read, { path }, { disallowedTools: [rule] })).toBe('deny');
    expect(await decisionOf(Read, { path: `${path}y` }, { disallowedTools: [rule] })).not.toBe('deny');
    expect(await decisionOf(Read, { path }, { allowedTools: [rule] })).toBe('allow');
  });

  test('what a rule denies to Read or Edit it denies to whatever reads or writes there; it lends no allowance', async () => {
    expect(await decisionOf(Patch, { path: 'x' }, { disallowedTools: ['Edit(./x)'] })).toBe('deny');
    expect(await decisionOf(Patch, { path: 'x' }, { disallowedTools: ['Read(./x)'] })).toBe('ask');
    expect(await decisionOf(Edit, { path: 'x' }, { disallowedTools: ['Read(./x)'] })).toBe('deny');
    expect(await decisionOf(Edit, { path: 'x' }, { askTools: ['Read(./x)'], allowedTools: ['Edit'] })).toBe('ask');
    expect(await decisionOf(Edit, { path: 'x' }, { allowedTools: ['Read(./x)'] })).toBe('ask');
  });

  test('a bare name denies at any depth and allows only where it stands', async () => {
    expect(await decisionOf(Read, { path: 'deep/.env' }, { disallowedTools: ['Read(.env)'] })).toBe('deny');
    expect(await decisionOf(Read, { path: '/elsewhere/.env' }, { disallowedTools: ['Read(.env)'] })).toBe('ask');
    expect(await decisionOf(Edit, { path: 'deep/x' }, { allowedTools: ['Edit(x)'] })).toBe('ask');
    expect(await decisionOf(Edit, { path: 'x' }, { allowedTools: ['Edit(x)'] })).toBe('allow');
  });

  test('Edit(path) covers Write, Write(path) does not cover Edit, Edit alone does not cover Write', async () => {
    expect(await decisionOf(Write, { path: 'src/a' }, { allowedTools: ['Edit(src)'] })).toBe('allow');
    expect(await decisionOf(Edit, { path: 'src/a' }, { allowedTools: ['Write(src)'] })).toBe('ask');
    expect(await decisionOf(Write, { path: 'src/a' }, { allowedTools: ['Edit'] })).toBe('ask');
    expect(await decisionOf(Custom, {}, { allowedTools: ['mcp__files'] })).toBe('allow');
    expect(await decisionOf(Custom, {}, { allowedTools: ['mcp__file'] })).toBe('ask');
  });

  test('a protected place is allowed by a rule that names it alone', async () => {
    const input = { path: '.claude/settings.json' };
    expect(await decisionOf(Write, input, { allowedTools: ['Write'] })).toBe('ask');
    expect(await decisionOf(Write, input, { allowedTools: ['Write(.claude/settings.json)'] })).toBe('allow');
    expect(await decisionOf(Write, input, { allowedTools: ['Edit(.claude)'] })).toBe('allow');
    expect(await decisionOf(Write, input, { allowedTools: ['Edit(.)', 'Edit(//)'] })).toBe('ask');
    expect(await decisionOf(Write, { path: '.vscode/tasks.json' }, { mode: 'acceptEdits' })).toBe('ask');
  });

  test('a line is allowed but for the blanks of a shell around it, and denied whatever is around it', async () => {
    const allowedTools = ['Bash(./run)', 'Bash(./odd\\\\)'];
    for (const command of ['./run\n', ' \t./run ', './run\\\n']) {
      expect(await decisionOf(Bash, { command }, { allowedTools })).toBe('allow');
    }
    for (const command of ['./run\u00a0', './run\r', '\ufeff./run', './run\nrm x', './odd\\ ']) {
      expect(await decisionOf(Bash, { command }, { allowedTools })).toBe('ask');
    }
    expect(await decisionOf(Bash, { command: './run\r' }, { disallowedTools: ['Bash(./run)'] })).toBe('deny');
  });

  test('a tool that needs a person is asked about whatever is allowed', async () => {
    const plan = makeTool('ExitPlanMode', { effect: 'none', requiresPerson: true });
    expect(await decisionOf(plan, {}, { allowedTools: ['ExitPlanMode'] })).toBe('ask');
    expect(await decisionOf(plan, {}, { allowedTools: ['ExitPlanMode'], mode: 'dontAsk' })).toBe('deny');
  });

  test('an answer counts against no deny rule and no plan', async () => {
    const answered = { answered: true };
    expect(await decisionOf(Bash, { command: 'ls' }, { askTools: ['Bash'] }, answered)).toBe('allow');
    expect(await decisionOf(Bash, { command: 'ls' }, { disallowedTools: ['Bash(ls)'] }, answered)).toBe('deny');
    expect(await decisionOf(Bash, { command: 'make' }, { mode: 'plan' }, answered)).toBe('deny');
  });
});

describe('paths that lead elsewhere', () => {
  const links = { '/work/link': '/etc', '/work/loop': null };

  test('a link out of the session directories is outside, read or written', async () => {
    expect(await decide(Read, { path: 'link/passwd' }, { links })).toMatchObject({
      decision: 'ask',
      reasonType: 'workingDir',
    });
    const acceptEdits = { links, policy: policyOf({ mode: 'acceptEdits' }) };
    expect(await decide(Write, { path: 'link/cron' }, acceptEdits)).toMatchObject({ decision: 'ask' });
    expect(await decide(Read, { path: 'loop/x' }, { links })).toMatchObject({ decision: 'ask' });
    expect(await decide(Read, { path: 'link/../x' }, { links })).toMatchObject({ decision: 'ask' });
  });

  test('a deny matches by where the path leads, by its name, and by where the rule leads', async () => {
    const decisionOf = async (rule: string, path: string) =>
      (await decide(Read, { path }, { links, policy: policyOf({ disallowedTools: [rule] }) })).decision;
    expect(await decisionOf('Read(//etc/passwd)', 'link/passwd')).toBe('deny');
    expect(await decisionOf('Read(link/passwd)', 'link/passwd')).toBe('deny');
    expect(await decisionOf('Read(link)', '/etc/passwd')).toBe('deny');
    expect(await decisionOf('Read(loop)', 'loop/x')).toBe('deny');
  });

  test('an allow needs the path as written and as resolved; a link laid at an allowed path does not carry it along', async () => {
    const decisionOf = async (rules: string[], path: string) =>
      (await decide(Write, { path }, { links, policy: policyOf({ allowedTools: rules }) })).decision;
    expect(await decisionOf(['Write(link)'], 'link')).toBe('ask');
    expect(await decisionOf(['Write(//etc)'], 'link/x')).toBe('ask');
    expect(await decisionOf(['Write(//etc)', 'Write(link)'], 'link/x')).toBe('allow');
    expect(await decisionOf(['Write(loop)'], 'loop')).toBe('ask');
  });

  test('a session folder that is itself reached by a link is inside in both spellings', async () => {
    const asking = { links: { '/work': '/private/work' }, policy: policyOf({ allowedTools: ['Edit(./src)'] }) };
    for (const path of ['a', '/work/a', '/private/work/a'])
      expect((await decide(Read, { path }, asking)).decision).toBe('allow');
    expect((await decide(Edit, { path: 'src/a' }, asking)).decision).toBe('allow');
    expect((await decide(Edit, { path: '/private/work/other' }, asking)).decision).toBe('ask');
  });

  test('where the file system does not tell case, neither do rules', async () => {
    const policy = policyOf({ disallowedTools: ['Read(./Secret)'] });
    expect((await decide(Read, { path: 'secret/x' }, { policy, foldCase: true })).decision).toBe('deny');
    expect((await decide(Read, { path: 'secret/x' }, { policy })).decision).toBe('allow');
  });

  test('a deny with content holds for a tool that does not say what it touches', async () => {
    const silent = makeTool('Read', { ruleContent: 'path', effect: 'none' });
    expect((await decide(silent, {}, { policy: policyOf({ disallowedTools: ['Read(x)'] }) })).decision).toBe('deny');
  });
});

describe('the first face', () => {
  const decisionOf = async (options: Partial<CompilePolicyOptions>, asking: Asking = {}) =>
    (await decide(Bash, { command: 'make' }, { ...asking, policy: policyOf(options) })).decision;

  test('the first rule that names the tool decides, else the default, and a default ask is no rule', async () => {
    const rule = (decision: 'allow' | 'ask' | 'deny', ...tools: string[]) => ({ tools, decision });
    const rules = [rule('allow', 'Other', 'Bash'), rule('deny', 'Bash')];
    expect(await decisionOf({ agentPolicy: { default: 'deny', rules } })).toBe('allow');
    expect(await decisionOf({ agentPolicy: { default: 'deny', rules: [] } })).toBe('deny');
    expect(await decisionOf({ agentPolicy: { default: 'allow', rules: [] } })).toBe('allow');
    expect(await decisionOf({ agentPolicy: { default: 'allow', rules: [] } }, { unattended: true })).toBe('allow');
    expect(await decisionOf({ agentPolicy: { default: 'ask', rules: [] } })).toBe('ask');
    expect(await decisionOf({ agentPolicy: { default: 'ask', rules: [] }, allowedTools: ['Bash'] })).toBe('allow');
    expect(await decisionOf({ agentPolicy: { default: 'allow', rules: [] }, disallowedTools: ['Bash(make)'] })).toBe(
      'deny',
    );
  });

  test('mode ask asks for every call, mode deny denies every call, auto says nothing', async () => {
    expect(await decisionOf({ agentMode: 'ask', allowedTools: ['Bash'] })).toBe('ask');
    expect(await decisionOf({ agentMode: 'deny', allowedTools: ['Bash'] })).toBe('deny');
    expect(await decisionOf({ agentMode: 'auto', allowedTools: ['Bash'] })).toBe('allow');
  });
});

describe('suggestions', () => {
  const suggestions = async (tool: Tool, input: JsonObject, asking: Asking = {}) =>
    (await decide(tool, input, asking)).suggestions;

  test('are what would spare the next question', async () => {
    expect(await suggestions(Edit, { path: 'a' })).toEqual([
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]);
    expect(await suggestions(Bash, { command: 'git init' })).toEqual([
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'localSettings',
        rules: [{ toolName: 'Bash', ruleContent: 'git init' }],
      },
    ]);
    expect(await suggestions(Custom, {})).toEqual([
      { type: 'addRules', behavior: 'allow', destination: 'localSettings', rules: [{ toolName: 'mcp__files__read' }] },
    ]);
    expect(await suggestions(Write, { path: '/etc/x' })).toEqual([
      { type: 'addDirectories', directories: ['/etc'], destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]);
    expect(await suggestions(Read, { path: 'l/x' }, { links: { '/work/l': '/etc' } })).toEqual([
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'session',
        rules: [
          { toolName: 'Read', ruleContent: '//work/l/x' },
          { toolName: 'Read', ruleContent: '//etc/x' },
        ],
      },
    ]);
    expect(await suggestions(Bash, { command: 'make *.ts' })).toEqual([]);
    expect(await suggestions(Write, { path: '.git/config' })).toBeUndefined();
    expect(await suggestions(Bash, { command: 'ls' }, { policy: policyOf({ askTools: ['Bash'] }) })).toBeUndefined();
    expect(await suggestions(Bash, { command: 'ls' }, { unattended: true })).toBeUndefined();
  });
});

const strictness = { allow: 0, ask: 1, deny: 2 } as const;
const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    behavior: fc.constantFrom('allow', 'ask', 'deny'),
    toolName: fc.constantFrom('Read', 'Edit', 'Write', 'Bash', '*'),
  }),
  fc.record({
    behavior: fc.constantFrom('allow', 'ask', 'deny'),
    toolName: fc.constantFrom('Read', 'Edit', 'Write'),
    content: fc.constantFrom('src', './src/a', '//etc', '~/x', '.env', '/src', '..', '**/*.key', 'src/**', '//etc/*'),
  }),
  fc.record({
    behavior: fc.constantFrom('allow', 'ask', 'deny'),
    toolName: fc.constant('Bash'),
    content: fc.constantFrom('ls', 'git status', 'git:*', 'rm *', '* x', 'cat src/*', 'curl * | sh'),
  }),
);
const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    rules: fc.array(fc.array(anyRule, { maxLength: 3 }), { maxLength: 3 }),
    mode: fc.constantFrom('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'),
  })
  .map(({ rules, mode }) => ({
    mode,
    directories: ['/work'],
    home: '/home/me',
    sources: rules.map((each, index) => ({ name: `s${index}`, evaluation: 'strictest', rules: each })),
  }));
const anyCall: fc.Arbitrary<[Tool, JsonObject]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(Read, Edit, Write),
    fc
      .constantFrom('src/a', 'src', 'a.key', '/etc/x', '/home/me/x', '.env', 'd/.env', '../x', '.git/x')
      .map((path) => ({ path })),
  ),
  fc.tuple(
    fc.constant(Bash),
    fc
      .constantFrom(
        'ls',
        'git status',
        'rm x',
        'ls; rm x',
        'cat src/a > x',
        'cat $X',
        'curl x | sh',
        'make',
        'eval "$X"',
        'cp x .git/x',
      )
      .map((command) => ({ command })),
  ),
);
const links = { '/work/src': '/etc' };

test('a call that any deny rule alone denies is denied, and one more deny or ask rule never makes a decision milder', async () => {
  await fc.assert(
    fc.asyncProperty(anyPolicy, anyCall, anyRule, fc.boolean(), async (policy, [tool, input], rule, unattended) => {
      const asking = { policy, unattended, links };
      const before = (await decide(tool, input, asking)).decision;
      const stricter = rule.behavior === 'allow' ? { ...rule, behavior: 'deny' as const } : rule;
      const more = {
        ...policy,
        sources: [...policy.sources, { name: 'more', evaluation: 'strictest' as const, rules: [stricter] }],
      };
      const after = (await decide(tool, input, { ...asking, policy: more })).decision;
      expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
      const alone = {
        ...policy,
        mode: 'bypassPermissions' as const,
        sources: [{ name: 'alone', evaluation: 'strictest' as const, rules: [stricter] }],
      };
      if ((await decide(tool, input, { ...asking, policy: alone })).decision === 'deny' && stricter.behavior === 'deny')
        expect(after).toBe('deny');
    }),
    { numRuns: 400 },
  );
});

test('the order of strictest sources and of their rules changes no decision', async () => {
  await fc.assert(
    fc.asyncProperty(anyPolicy, anyCall, async (policy, [tool, input]) => {
      const turned = {
        ...policy,
        sources: policy.sources.map((source) => ({ ...source, rules: source.rules.toReversed() })).toReversed(),
      };
      expect((await decide(tool, input, { policy: turned, links })).decision).toBe(
        (await decide(tool, input, { policy, links })).decision,
      );
    }),
    { numRuns: 300 },
  );
});

test('plan allows nothing with an effect, whatever the policy and whoever answered', async () => {
  const effects: ToolEffect[] = ['idempotent', 'once'];
  await fc.assert(
    fc.asyncProperty(anyPolicy, fc.constantFrom(...effects), fc.boolean(), async (policy, effect, answered) => {
      const tool = makeTool('Write', { ...editing, effect });
      expect((await decide(tool, { path: 'src/a' }, { policy: { ...policy, mode: 'plan' }, answered })).decision).toBe(
        'deny',
      );
    }),
    { numRuns: 100 },
  );
});
