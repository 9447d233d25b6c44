import { readFileSync } from 'node:fs';
import type { JsonObject, PermissionMode } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { judgeTool, plainPolicy, type PlainPolicy } from '../testing/judge-line.ts';
import type { AgentPermissionMode } from './compile-policy.ts';
import {
  agentModeTable,
  callKinds,
  type CallKind,
  describeAgentModes,
  describeModeTable,
  modeTable,
  type ModeVerdict,
  modeVerdict,
} from './mode-table.ts';
import { describePermissionOrder } from './permission-order.ts';

const kinds = Object.keys(callKinds) as CallKind[];
const modes = Object.keys(modeTable) as PermissionMode[];
const agentModes = Object.keys(agentModeTable) as AgentPermissionMode[];
const sandbox = { autoAllow: true, excludedCommands: [], allowUnsandboxed: true };

/** A call of each kind. */
const calls: Record<CallKind, { readonly tool: string; readonly input: JsonObject; readonly policy?: PlainPolicy }> = {
  read: { tool: 'Bash', input: { command: 'cat a' } },
  readElsewhere: { tool: 'Read', input: { file_path: '/etc/hostname' } },
  unsandboxed: { tool: 'Bash', input: { command: 'make', dangerouslyDisableSandbox: true }, policy: { sandbox } },
  protectedWrite: { tool: 'Write', input: { file_path: '.git/config' } },
  edit: { tool: 'Edit', input: { file_path: 'a' } },
  fileCommand: { tool: 'Bash', input: { command: 'mkdir a' } },
  sandboxed: { tool: 'Bash', input: { command: 'make' }, policy: { sandbox } },
  editElsewhere: { tool: 'Write', input: { file_path: '/etc/x' } },
  command: { tool: 'Bash', input: { command: 'make' } },
  quiet: { tool: 'Agent', input: { subagent_type: 'a' }, policy: { agentPolicy: { default: 'ask', rules: [] } } },
  other: { tool: 'mcp__a__b', input: {} },
};

function policyOf(kind: CallKind, mode: PermissionMode, agentMode: AgentPermissionMode): PlainPolicy {
  const bypass = mode === 'bypassPermissions' ? { allowDangerouslySkipPermissions: true } : {};
  return { ...calls[kind].policy, mode, agentMode, hasClassifier: true, ...bypass };
}

function expected(verdict: ModeVerdict, mode: PermissionMode, agentMode: AgentPermissionMode): string {
  if (agentMode === 'deny' || verdict === 'refuse') return 'deny';
  if (agentMode === 'ask') return mode === 'dontAsk' ? 'deny' : 'ask';
  return { run: 'allow', deny: 'deny', ask: 'ask', classify: 'ask' }[verdict];
}

describe.each(modes)('issue 5, accept 10: mode %s', (mode) => {
  test.each(agentModes)('with an agent whose own mode is %s does what the table says', async (agentMode) => {
    for (const kind of kinds) {
      const { tool, input } = calls[kind];
      const { decision, classify } = await judgeTool(tool, input, policyOf(kind, mode, agentMode));
      expect([kind, decision]).toEqual([kind, expected(modeTable[mode][kind], mode, agentMode)]);
      expect([kind, classify === true]).toEqual([kind, agentMode === 'auto' && modeTable[mode][kind] === 'classify']);
    }
  });

  test('narrowed by any other is never milder than either', async () => {
    const order = ['allow', 'ask', 'deny'];
    for (const other of modes) {
      for (const kind of kinds) {
        const { tool, input } = calls[kind];
        const alone = await Promise.all(
          [mode, other].map(async (each) => (await judgeTool(tool, input, policyOf(kind, each, 'auto'))).decision),
        );
        const policy = { ...plainPolicy(policyOf(kind, mode, 'auto')), narrowedBy: [other] };
        const { decision } = await judgeTool(tool, input, policy);
        const strictest = Math.max(...alone.map((each) => order.indexOf(each)));
        expect([kind, other, order.indexOf(decision) >= strictest]).toEqual([kind, other, true]);
      }
    }
  });
});

test('the strictest of several modes counts, kind by kind', () => {
  const narrowed = { mode: 'default', narrowedBy: ['plan'] } as const;
  expect(modeVerdict(narrowed, 'readElsewhere')).toBe('ask');
  expect(modeVerdict(narrowed, 'edit')).toBe('refuse');
  expect(modeVerdict({ mode: 'default', narrowedBy: ['bypassPermissions'] }, 'command')).toBe('ask');
});

test('the guide prints the order and the tables that the engine follows', () => {
  const page = readFileSync(new URL('../../../../docs/guides/permissions.md', import.meta.url), 'utf8');
  for (const part of [describePermissionOrder(), describeModeTable(), describeAgentModes()])
    expect(page).toContain(part);
});
