import type { LivePolicy } from '../permission/live-policy.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding, SubagentDefinition } from '../turn/binding.ts';

/** The name under which a subagent's own rules appear in decisions. */
const ruleSource = (agent: string): string => `agent ${agent}`;

/** What a definition may replace. Whatever else an object brings that is given as one counts for nothing. */
const own = [
  'model',
  'tools',
  'hooks',
  'hookRetries',
  'thinking',
  'effort',
  'temperature',
  'maxOutputTokens',
  'retry',
  'subagents',
] as const satisfies readonly (keyof SubagentDefinition & keyof Binding)[];

/**
 * What a subagent works with: its parent's binding, where its definition says nothing else. Never inherited are the
 * instructions and what the output is to be; never its own are policy, asker, sandbox, environment and the limits of the tree.
 */
export function subagentBinding(parent: Binding, definition: SubagentDefinition): Binding {
  const { name, instructions, maxTurns } = definition;
  const { limits: _limits, output: _output, outputCheck: _check, suggestsPrompts: _suggests, ...inherited } = parent;
  const turns = maxTurns ?? parent.limits?.maxTurns;
  return {
    ...inherited,
    ...Object.fromEntries(
      own.flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])),
    ),
    agent: { name, fingerprint: parent.agent.fingerprint },
    system: instructions,
    policy: narrowed(parent.policy, definition),
    ...(parent.livePolicy === undefined ? {} : { livePolicy: narrowedLive(parent.livePolicy, definition) }),
    ...(turns === undefined ? {} : { limits: { maxTurns: turns } }),
  };
}

/** A rule that allows is left out: beside the root's rules it could make a question into none. A mode only narrows. */
function narrowed(policy: Policy, { name, rules = [], permissionMode }: SubagentDefinition): Policy {
  const narrowing = rules.filter(({ behavior }) => behavior !== 'allow');
  const { sources, narrowedBy = [] } = policy;
  return {
    ...policy,
    ...(narrowing.length > 0 && {
      sources: [...sources, { name: ruleSource(name), evaluation: 'strictest', rules: narrowing }],
    }),
    ...(permissionMode !== undefined && { narrowedBy: [...narrowedBy, permissionMode] }),
  };
}

function narrowedLive(live: LivePolicy, definition: SubagentDefinition): LivePolicy {
  let made: { readonly from: Policy; readonly policy: Policy } | undefined;
  return {
    ...live,
    current() {
      const from = live.current();
      if (made?.from !== from) made = { from, policy: narrowed(from, definition) };
      return made.policy;
    },
  };
}
