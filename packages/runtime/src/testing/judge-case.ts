import assert from 'node:assert/strict';
import { systemClock } from '../event/clock.ts';
import { compilePolicy } from '../permission/compile-policy.ts';
import { judgeByPolicy, type Judged, type PermissionGate } from '../permission/permission-gate.ts';
import type { Policy, PolicySource } from '../permission/policy.ts';
import { readPermissionRules } from '../permission/read-permission-rule.ts';
import type { Tool } from '../tool/tool.ts';
import { caseFiles } from './case-files.ts';
import { caseTool } from './case-tools.ts';
import type { CasePolicy, CaseRules, PermissionCase } from './permission-case.ts';
import { sha256 } from './temporary-binding.ts';

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/** What Rondo says of a case. */
export async function judgeCase(subject: PermissionCase): Promise<Judged> {
  const { policy, parents = [], files = {}, foldCase = false, attended = true, hook, call } = subject;
  const { classifier: verdict = 'ask' } = subject;
  const tool = caseTool(call.tool);
  const said = { hook: 'hook', reason: hook?.reason ?? 'a hook says so' };
  const hooked = hook === undefined ? {} : hook.decision === 'ask' ? { hookAsk: said } : { hookAllow: said };
  let strictest: Judged | undefined;
  for (const each of policiesOf([...parents, policy], tool)) {
    const gate: PermissionGate = {
      sessionId: 'corpus',
      turnId: 'corpus',
      policy: () => each,
      clock: systemClock,
      newId: () => 'corpus',
      sha256,
      resolvePath: caseFiles(files, foldCase),
      ask: () => Promise.resolve({ type: 'closed' }),
      unattended: !attended,
      foldCase,
      classify: () => Promise.resolve({ decision: verdict, reason: 'the classifier says so' }),
    };
    const judged = await judgeByPolicy(
      gate,
      { tool, input: call.input, callId: '1', toolCallId: '1', ...hooked },
      false,
    );
    if (strictest === undefined || strictness[judged.decision] > strictness[strictest.decision]) strictest = judged;
  }
  assert.ok(strictest);
  return strictest;
}

/**
 * Of a line of agents that work for each other, the root first: the root's rules with what the others deny or want asked,
 * in the mode of each. What others allow widens nothing.
 */
function policiesOf([root, ...others]: readonly CasePolicy[], tool: Tool): Policy[] {
  assert.ok(root);
  const first = compileCasePolicy(root, tool);
  const compiled = others.map((each) => compileCasePolicy(each, tool));
  const narrowing = compiled.flatMap(({ sources }) =>
    sources.map((source) => ({ ...source, rules: source.rules.filter(({ behavior }) => behavior !== 'allow') })),
  );
  const sources = [...first.sources, ...narrowing];
  return [first, ...compiled].map(({ mode }) => ({ ...first, sources, mode }));
}

/** The policy of a case as both faces' options and settings layers would make it. */
export function compileCasePolicy(policy: CasePolicy, tool: Pick<Tool, 'name' | 'ruleContent'>): Policy {
  const { mode = 'default', directories = ['/work'], home = '/home/me', sources = [], sandbox } = policy;
  const compiled = compilePolicy({
    directories,
    home,
    mode,
    hasClassifier: mode === 'auto',
    tools: [tool],
    allowDangerouslySkipPermissions: mode === 'bypassPermissions',
    ...(policy.agentMode === undefined ? {} : { agentMode: policy.agentMode }),
    ...(policy.agentPolicy === undefined ? {} : { agentPolicy: policy.agentPolicy }),
  });
  const { deny = [], ask = [], allow = [] } = policy;
  const layers: PolicySource[] = [
    layer({ name: 'disallowedTools', deny }, tool),
    layer({ name: 'askTools', ask }, tool),
    layer({ name: 'allowedTools', allow }, tool),
    ...sources.map((each) => layer(each, tool)),
  ];
  return {
    ...compiled,
    sources: [...layers, ...compiled.sources],
    ...(sandbox?.enabled === true
      ? {
          sandbox: {
            autoAllow: sandbox.autoAllowBashIfSandboxed ?? true,
            excludedCommands: sandbox.excludedCommands ?? [],
            allowUnsandboxed: sandbox.allowUnsandboxedCommands ?? true,
          },
        }
      : {}),
  };
}

function layer(
  { name, root, ...lists }: CaseRules & { readonly name: string; readonly root?: string },
  tool: Pick<Tool, 'name' | 'ruleContent'>,
): PolicySource {
  const rules = (['deny', 'ask', 'allow'] as const).flatMap(
    (behavior) => readPermissionRules(lists[behavior], behavior, { tools: [tool] }).rules,
  );
  return { name, evaluation: 'strictest', rules, ...(root === undefined ? {} : { root }) };
}
