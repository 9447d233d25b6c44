import type { JsonObject } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { caseTool } from '../testing/case-tools.ts';
import { plainPolicy, type PlainPolicy } from '../testing/judge-line.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import type { Tool } from '../tool/tool.ts';
import { judgeCall, type JudgeCallOptions } from './judge-call.ts';

const builtin = caseTool('Bash');
const allow = ['mcp__ws__bash'];

function decide(policy: PlainPolicy, more: Partial<JudgeCallOptions> & { replaced?: Tool | undefined } = {}) {
  const { replaced = builtin, ...options } = more;
  const own = recordingTool({ name: 'mcp__ws__bash' });
  const tool = Object.create(own, { standsFor: { value: { name: 'Bash', tool: replaced } } }) as Tool;
  const input: JsonObject = { command: 'git push origin' };
  const resolvePath = (path: string) => Promise.resolve(path);
  return judgeCall({ tool, input, policy: plainPolicy({ allow, ...policy }), resolvePath, ...options });
}

describe('a tool that stands for a built-in one', () => {
  test.each<[string, PlainPolicy, string]>([
    ['no rule for that one', {}, 'allow'],
    ['one that allows that one', { allow: ['Bash'] }, 'ask'],
    ['one that denies that one', { deny: ['Bash'] }, 'deny'],
    ['one that denies the line', { deny: ['Bash(git push:*)'] }, 'deny'],
    ['one that denies another line', { deny: ['Bash(rm:*)'] }, 'allow'],
    ['one that asks of the line', { ask: ['Bash(git push:*)'] }, 'ask'],
    ['one that asks of it, and denies its own', { ask: ['Bash'], deny: ['mcp__ws'] }, 'deny'],
    ['one that asks of the line, and nobody to ask', { ask: ['Bash'], mode: 'dontAsk' }, 'deny'],
  ])('with %s', async (_rules, policy, decision) => {
    expect((await decide(policy)).decision).toBe(decision);
  });

  test('is not allowed by what that one may do unasked', async () => {
    const policy: PlainPolicy = { allow: [], mode: 'acceptEdits' };
    expect((await decide(policy, { input: { command: 'ls' } })).decision).toBe('ask');
  });

  test('is asked once: an answer lifts the question and no denial', async () => {
    expect((await decide({ ask: ['Bash'] }, { answered: true })).decision).toBe('allow');
    expect((await decide({ deny: ['Bash(git push:*)'] }, { answered: true })).decision).toBe('deny');
  });

  test('with arguments that are not that one’s is asked about where a rule may be about them', async () => {
    const strict = recordingTool({
      name: 'Bash',
      ruleContent: 'command',
      input: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
      access: () => ({ command: 'never read' }),
    });
    const odd = { replaced: strict, input: { line: 'rm x' } };
    expect(await decide({ deny: ['Bash(rm:*)'] }, odd)).toMatchObject({ decision: 'ask', reasonType: 'unclear' });
    expect((await decide({ deny: ['Bash(rm:*)'] }, { ...odd, unattended: true })).decision).toBe('deny');
    expect((await decide({ deny: ['Bash(rm:*)'] }, { ...odd, answered: true })).decision).toBe('allow');
    expect(await decide({ deny: ['Bash'] }, odd)).toMatchObject({ decision: 'deny', rule: 'Bash' });
    expect((await decide({ allow: ['Bash(rm:*)', ...allow] }, odd)).decision).toBe('allow');
    expect((await decide({}, odd)).decision).toBe('allow');
  });
});
