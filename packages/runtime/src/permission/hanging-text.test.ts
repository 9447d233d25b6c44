import { expect, test, vi } from 'vitest';
import { judgeLine, judgeTool, type PlainPolicy } from '../testing/judge-line.ts';
import { withoutSecrets } from './print-rule.ts';
import { readPermissionRules } from './read-permission-rule.ts';
import { matchesDomain, urlHost } from './url-host.ts';

// What hangs does so for minutes or for ever.
vi.setConfig({ testTimeout: 120_000 });

const repeated = (text: string, length = 60_000): string => text.repeat(Math.ceil(length / text.length));

/** What makes an expression try many ways when it cannot match in the end. */
const fillers = [
  ...' .-_/:=@+,;|&<>!#%^~*?[](){}"\'`\\$\n\t01aA'.split(''),
  ' \n',
  'a ',
  'a=',
  'A=1 ',
  'a.',
  'a/',
  '../',
  '1.1',
  '-a ',
  '--',
  '\\\\',
  '${a',
  '${a:-',
  '$(',
  '$((',
  '<(',
  'a[',
  '[a',
  'x@',
  'a:a',
  '://',
  ':a@',
  'key',
  'key ',
  'key=',
  'eyJ',
  '-eyJ',
  'eyJa.',
  'sk-',
  'a+',
  '=a',
  'bearer ',
  '%s',
  "''",
  '""',
  'aA1',
  'é',
  '\u200b',
  'git push ',
];

const rules = [
  'git * push * --force',
  '* deploy *',
  'rm:*',
  'a* b* c* d* e*',
  'if *',
  'npm run *; rm *',
  'ls > *',
  'x',
];
const policy: PlainPolicy = {
  deny: rules.map((rule) => `Bash(${rule})`),
  allow: [...rules.map((rule) => `Bash(${rule} ok *)`), 'Read(src/**)'],
};

test.each(fillers)('issue 5: a line of %j comes to a decision', async (filler) => {
  for (const line of [`x ${repeated(filler)}`, `git "${repeated(filler, 9000)}" push`]) await judgeLine(line, policy);
  for (const head of ['sed ', 'export A[', 'printf ', 'echo ${', '']) {
    await judgeLine(`${head}${repeated(filler, 4000)}`, policy);
  }
});

test.each(fillers)('issue 5: no path, URL, name or secret of %j hangs what reads it', async (filler) => {
  const text = repeated(filler, 100_000);
  const stars = '*a'.repeat(30);
  const paths: PlainPolicy = {
    deny: [`Read(/${stars}*b)`, `Read(**/${stars}/**/*z)`, `Read(${stars}*)`, 'Read(//**/[!a]*/x?)'],
  };
  await judgeTool('Read', { file_path: `/work/${text}q` }, paths);
  for (const url of [`https://${text}x`, `https://a${text}b/`, `${text}://a`, `https://u:${text}@h/`]) {
    const host = urlHost(url);
    if (host !== undefined) matchesDomain('domain:*.example.com', host, true);
    await judgeTool('WebFetch', { url }, { deny: ['WebFetch(domain:*.example.com)'] });
  }
  for (const around of ['', '"', 'https://', 'token', 'Bearer ']) {
    expect(withoutSecrets(`${around}${text}!`)).toBeTypeOf('string');
  }
});

test.each(fillers)('issue 5: no rule of %j hangs what reads and compares it', async (filler) => {
  const text = repeated(filler, 10_000);
  const written = [
    `Bash(${text})`,
    `Bash(${text}x`,
    `Bash(x ${text}:*)`,
    `Read(${text})`,
    `WebFetch(domain:${text}x)`,
    `mcp__${text}\n`,
    `x${text}\n`,
    text,
  ];
  const { rules: read } = readPermissionRules(written, 'deny');
  const sources = [{ name: 'rules', evaluation: 'strictest' as const, rules: read }];
  const given = { sources, mode: 'default' as const, directories: ['/work'] };
  await judgeLine('git push --force', given);
  await judgeLine(text.slice(0, 2000), given);
  await judgeTool('Read', { file_path: `/work/${text.slice(0, 3000)}` }, given);
  await judgeTool('WebFetch', { url: 'https://example.com/' }, given);
});
