import { describe, expect, test } from 'vitest';
import { judgeLine, judgeTool, plainPolicy, type PlainPolicy } from '../testing/judge-line.ts';

const of = async (command: string, policy: PlainPolicy) => (await judgeLine(command, policy)).decision;
const bypass = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

describe('an allow rule', () => {
  test.each<[string, string, string]>([
    ['git:*', 'git', 'allow'],
    ['git:*', 'git push origin', 'allow'],
    ['git *', 'git push', 'allow'],
    ['git *', 'git', 'allow'],
    ['git:*', 'gitk', 'ask'],
    ['git *', 'git-shell x', 'ask'],
    ['make test', 'make test', 'allow'],
    ['make test', 'make   test', 'allow'],
    ['make test', 'make test x', 'ask'],
    ['make test', '"make" test', 'allow'],
    ['make test', '"make test"', 'ask'],
    ['make test', './make test', 'ask'],
    ['npm run db:build:*', 'npm run db:build --x', 'allow'],
    ['npm run db:build:*', 'npm run db:builds', 'ask'],
    ['npm run test*', 'npm run test:unit -- x', 'allow'],
    ['* deploy *', 'make deploy now', 'allow'],
    ['make *', 'make a; rm x', 'ask'],
    ['make *', 'make a && rm x', 'ask'],
    ['make *', 'make a | tee x', 'ask'],
    ['make *', 'make $(rm x)', 'ask'],
    ['make *', 'make `rm x`', 'ask'],
    ['make *', 'make <(rm x)', 'ask'],
    ['make *', 'make a\nrm x', 'ask'],
    ['make *', 'make "a; b"', 'allow'],
    ['make *', "make '$(x)'", 'allow'],
    ['make a; make b', 'make a; make b', 'allow'],
    ['cd x && make *', 'cd x && make y', 'allow'],
    ['cd x && make *', 'cd x && make y; rm z', 'ask'],
    ['if:*', 'if make; then rm x; fi', 'ask'],
    ['do rm x', 'for i in 1; do rm x; done', 'ask'],
    ['python -c ":*', 'python -c "print(1)"', 'allow'],
    ['make:*', 'FOO=1 make', 'allow'],
    ['make:*', 'PATH=/x make', 'ask'],
    ['make:*', 'LD_PRELOAD=x make', 'ask'],
    ['PATH=/x make:*', 'PATH=/x make a', 'allow'],
    ['FOO=1 make', 'FOO=1 make', 'allow'],
    ['FOO=1 make', 'make', 'ask'],
    ['sudo:*', 'sudo rm x', 'allow'],
    ['make:*', 'sudo make', 'ask'],
    ['make:*', 'timeout 5 make', 'allow'],
    ['find:*', 'find . -exec rm {} \\;', 'ask'],
    ['git:*', 'git -c alias.x=!rm x', 'ask'],
    ['make:*', 'eval "$X"', 'ask'],
    ['eval:*', 'eval "$X"', 'ask'],
    ['./x:*', 'cd sub && ./x', 'ask'],
  ])('Bash(%s) and %j: %s', async (content, command, expected) => {
    expect(await of(command, { allow: [`Bash(${content})`] })).toBe(expected);
  });

  test('rules of several layers allow a line together', async () => {
    const rules = (name: string, content: string) => ({
      name,
      evaluation: 'strictest' as const,
      rules: [{ behavior: 'allow' as const, toolName: 'Bash', content }],
    });
    const policy = { ...plainPolicy(), sources: [rules('user', 'make:*'), rules('project', 'cargo build')] };
    expect((await judgeLine('make x && cargo build', policy)).decision).toBe('allow');
    expect((await judgeLine('make x && cargo test', policy)).decision).toBe('ask');
  });

  test('lets a command write in the session folders by its arguments, and redirect nothing', async () => {
    const allow = ['Bash(mkdir:*)', 'Bash(echo:*)'];
    expect(await of('mkdir -p a/b', { allow })).toBe('allow');
    expect(await of('mkdir /elsewhere', { allow })).toBe('ask');
    expect(await of('mkdir .git/hooks', { allow })).toBe('ask');
    expect(await of('mkdir $X', { allow })).toBe('ask');
    expect(await of('mkdir /elsewhere', { allow: ['Bash(mkdir /elsewhere)'] })).toBe('allow');
    expect(await of('mkdir /elsewhere', { allow: [...allow, 'Edit(//elsewhere)'] })).toBe('allow');
    expect(await of('echo x > a', { allow })).toBe('ask');
    expect(await of('echo x > a', { allow: [...allow, 'Edit(./a)'] })).toBe('allow');
    expect(await of('ls > a', { allow: ['Edit(./a)', 'Bash(ls:*)'] })).toBe('allow');
    expect(await of('timeout 5 ls > /etc/a', { allow: ['Edit(./a)'] })).toBe('ask');
    expect(await of('echo x > a', { allow, mode: 'acceptEdits' })).toBe('allow');
    expect(await of('echo x > .git/config', { allow, mode: 'acceptEdits' })).toBe('ask');
    expect(await of('echo x > /dev/null', { allow })).toBe('allow');
    expect(await of('echo x > a', { allow: ['Bash(echo x > a)'] })).toBe('allow');
  });
});

describe('a deny rule', () => {
  test.each<[string, string, string]>([
    ['rm:*', 'rm x', 'deny'],
    ['rm:*', 'rmdir x', 'allow'],
    ['rm:*', 'ls; rm x', 'deny'],
    ['rm:*', '/bin/rm x', 'deny'],
    ['rm:*', '\\rm x', 'deny'],
    ['rm:*', '"r"m x', 'deny'],
    ['rm:*', 'A=1 rm x', 'deny'],
    ['rm:*', 'env rm x', 'deny'],
    ['rm:*', 'bash -c "rm x"', 'deny'],
    ['rm:*', 'find . -exec rm {} +', 'deny'],
    ['rm:*', 'echo $(rm x)', 'deny'],
    ['git push:*', 'git -C sub --no-pager push', 'deny'],
    ['git push:*', 'git pull', 'allow'],
    ['git push:*', 'git $X', 'ask'],
    ['curl * | sh', 'curl x | sh', 'deny'],
    ['curl * | sh', 'curl x|sh -s', 'deny'],
    ['curl * | sh', 'true; curl x | sudo sh', 'deny'],
    ['curl * | sh', 'curl x', 'allow'],
    ['do rm:*', 'for i in 1; do rm $i; done', 'deny'],
    ['if:*', 'if true; then make; fi', 'deny'],
    ['cat .env*', 'cat .env.local', 'deny'],
    ['rm -rf /*', 'rm -rf /etc', 'deny'],
    ['rm:*', '$X y', 'ask'],
    ['rm:*', 'eval "$X"', 'ask'],
    ['rm:*', 'perl -e "system(q(rm x))"', 'ask'],
    ['rm:*', 'unknown-wrapper rm x', 'ask'],
    ['rm:*', 'unknown-program x', 'allow'],
    ['rm:*', 'if [', 'ask'],
  ])('Bash(%s) and %j, permissions bypassed: %s', async (content, command, expected) => {
    expect(await of(command, { ...bypass, deny: [`Bash(${content})`] })).toBe(expected);
  });

  test('where the file system does not tell case, neither does a rule that denies', async () => {
    const policy = plainPolicy({ ...bypass, deny: ['Bash(curl:*)'] });
    expect((await judgeLine('CURL x', policy, { foldCase: true })).decision).toBe('deny');
    expect((await judgeLine('CURL x', policy)).decision).not.toBe('deny');
  });

  test('of paths counts for what a line opens', async () => {
    const deny = ['Read(./secrets/**)', 'Edit(./locked)', 'Read(.env)'];
    const policy = { ...bypass, deny };
    expect(await of('cat secrets/a', policy)).toBe('deny');
    expect(await of('make < secrets/a', policy)).toBe('deny');
    expect(await of('cat sub/../secrets/a', policy)).toBe('deny');
    expect(await of('cd secrets && cat a', policy)).toBe('deny');
    expect(await of('echo x > locked', policy)).toBe('deny');
    expect(await of('cp a locked', policy)).toBe('deny');
    expect(await of('cp sub/locked .', policy)).toBe('deny');
    expect(await of('cat locked', policy)).toBe('allow');
    expect(await of('cat deep/.env', policy)).toBe('deny');
    expect(await of('cat $FILE', policy)).toBe('ask');
    expect(await of('grep -r x .', policy)).toBe('ask');
    expect(await of('unknown-program --in=.env', policy)).toBe('ask');
    expect(await of('unknown-program other', policy)).toBe('allow');
    const linked = plainPolicy(policy);
    expect((await judgeLine('cat l/a', linked, { links: { '/work/l': '/work/secrets' } })).decision).toBe('deny');
  });
});

describe('without a rule', () => {
  test.each<[string, string]>([
    ['ls -la src', 'allow'],
    ['git status', 'allow'],
    ['cat a | grep b | wc -l', 'allow'],
    ['cat /etc/passwd', 'ask'],
    ['cat ~/.ssh/id', 'ask'],
    ['ls *.ts', 'allow'],
    ['cat *.md', 'ask'],
    ['echo x > a', 'ask'],
    ['make', 'ask'],
    ['ls; make', 'ask'],
    ['', 'ask'],
  ])('%j: %s', async (command, expected) => {
    expect(await of(command, {})).toBe(expected);
  });

  test('acceptEdits covers what makes, moves and copies files in the session folders', async () => {
    const mode = { mode: 'acceptEdits' } as const;
    for (const line of ['mkdir a', 'touch a b', 'cp a b', 'mv a b', 'rm a', 'mkdir a && ls'])
      expect([line, await of(line, mode)]).toEqual([line, 'allow']);
    for (const line of [
      'rm -r a',
      'cp a /etc/b',
      'touch .git/config',
      'mv a ../b',
      'mkdir $X',
      'touch *',
      'cp -r x .',
      'cp x/.envrc sub',
      'mv x/.git sub/',
    ])
      expect([line, await of(line, mode)]).toEqual([line, 'ask']);
    expect((await judgeLine('touch l/a', mode, { links: { '/work/l': '/etc' } })).decision).toBe('ask');
  });

  test('plan reads anywhere and runs nothing that writes, whatever is allowed', async () => {
    const plan = { mode: 'plan', allow: ['Bash'] } as const;
    expect(await of('cat /etc/hostname', plan)).toBe('allow');
    expect(await of('ls > a', { ...plan, allow: ['Bash', 'Edit(./a)'] })).toBe('deny');
    for (const line of ['make', 'echo x > a', 'ls > a', 'eval "$X"', 'FOO=$(make) ls'])
      expect([line, await of(line, plan)]).toEqual([line, 'deny']);
  });

  test('protected places are asked about through commands too, unless a rule names them', async () => {
    const allow = ['Bash'];
    for (const line of ['cp x .git/hooks/pre-commit', 'echo x >> ~/.bashrc', 'tee .rondo/settings.json', 'rm -rf .'])
      expect([line, await of(line, { allow })]).toEqual([line, 'ask']);
    expect(await of('cp x .git/hooks/y', { allow: [...allow, 'Bash(cp x .git/hooks/*)'] })).toBe('allow');
    expect(await of('echo x > scripts/hook.sh', { allow, protected: ['/work/scripts/hook.sh'] })).toBe('ask');
    expect(await of('echo x > scripts/other.sh', { allow, protected: ['/work/scripts/hook.sh'] })).toBe('allow');
    expect(await of('rm -rf scripts', { allow, protected: ['/work/scripts/hook.sh'] })).toBe('ask');
  });
});

describe('with a sandbox', () => {
  const sandbox = { autoAllow: true, excludedCommands: ['docker', 'make deploy:*'], allowUnsandboxed: true };
  const judge = (command: string, more: PlainPolicy = {}, input = {}) =>
    judgeTool('Bash', { command, ...input }, { sandbox, ...more });

  test('what runs in it needs no question', async () => {
    expect(await judge('make x')).toMatchObject({ decision: 'allow', reasonType: 'sandbox', sandboxed: true });
    expect(await judge('eval "$X"')).toMatchObject({ decision: 'allow', sandboxed: true });
    expect(await judge('make', { sandbox: { ...sandbox, autoAllow: false } })).toMatchObject({ decision: 'ask' });
    expect(await judge('make', { mode: 'dontAsk' })).toMatchObject({ decision: 'allow' });
    expect(await judge('make', { mode: 'plan' })).toMatchObject({ decision: 'deny' });
    expect(await judge('echo x > .git/config')).toMatchObject({ decision: 'ask' });
  });

  test('rules stop it all the same', async () => {
    expect(await judge('make', { deny: ['Bash(make:*)'] })).toMatchObject({ decision: 'deny' });
    expect(await judge('make', { ask: ['Bash(make:*)'] })).toMatchObject({ decision: 'ask' });
    expect(await judge('eval "$X"', { deny: ['Bash(rm:*)'] })).toMatchObject({ decision: 'ask' });
    expect(await judge('npm test', { deny: ['Bash(rm:*)'] })).toMatchObject({ decision: 'allow' });
  });

  test('excluded commands run outside, and are judged as ever', async () => {
    expect(await judge('docker ps')).toMatchObject({ decision: 'ask', sandboxed: false });
    expect(await judge('docker ps | cat')).toMatchObject({ decision: 'ask', sandboxed: true });
    expect(await judge('timeout 5 make deploy now')).toMatchObject({ decision: 'ask', sandboxed: false });
    expect(await judge('docker ps; make')).toMatchObject({ decision: 'ask', sandboxed: true });
    expect(await judge('docker ps', { allow: ['Bash(docker ps)'] })).toMatchObject({ decision: 'allow' });
    expect(await judge('PATH=/x docker ps')).toMatchObject({ sandboxed: true });
  });

  test('a call that asks to run outside is a question, unless a rule allows it', async () => {
    const outside = { dangerouslyDisableSandbox: true };
    expect(await judge('ls', {}, outside)).toMatchObject({ decision: 'ask', sandboxed: false, reasonType: 'sandbox' });
    expect(await judge('make', { allow: ['Bash(make)'] }, outside)).toMatchObject({ decision: 'allow' });
    expect(await judge('make', bypass, outside)).toMatchObject({ decision: 'allow', sandboxed: false });
    const kept = { sandbox: { ...sandbox, allowUnsandboxed: false } };
    expect(await judge('make', kept, outside)).toMatchObject({ decision: 'allow', sandboxed: true });
    expect((await judgeLine('make', {})).sandboxed).toBe(false);
  });
});

describe('suggestions for a line', () => {
  const rules = async (command: string, policy: PlainPolicy = {}) =>
    (await judgeLine(command, policy)).suggestions?.flatMap((update) =>
      update.type === 'addRules' ? update.rules.map(({ ruleContent }) => ruleContent) : [update.type],
    );

  test.each<[string, (string | undefined)[]]>([
    ['npm test -- --x', ['npm test:*']],
    ['npm run build:ci', ['npm run build:ci:*']],
    ['git commit -m "a"', ['git commit:*']],
    ['git push origin', ['git push origin']],
    ['git -C x commit', ['git -C x commit']],
    ['npm install x', ['npm install x']],
    ['python -c "print(1)"', ['python -c "print(1)"']],
    ['sudo make', ['sudo make']],
    ['timeout 5 npm test', ['npm test:*']],
    ['npm test && make', ['npm test:*', 'make']],
    ['FOO=1 npm test', ['FOO=1 npm test']],
    ['eval "$X"', []],
    ['make *.ts', []],
    ['make\tx\nmake y', ['make x', 'make y']],
    ['make > out', ['make', 'setMode']],
    ['cat /etc/x', ['addDirectories']],
    ['cat *.md', []],
    ['mkdir ../other', ['mkdir:*']],
  ])('%j: %j', async (command, expected) => {
    expect(await rules(command)).toEqual(expected);
  });

  test('what is suggested for commands would have spared the question', async () => {
    for (const command of ['npm test', 'git commit -m "a; b"', 'make a && npm run x', 'FOO=1 make', 'timeout 5 make']) {
      const allow = ((await rules(command)) ?? []).map((content) => `Bash(${String(content)})`);
      expect([command, await of(command, { allow })]).toEqual([command, 'allow']);
    }
  });
});
