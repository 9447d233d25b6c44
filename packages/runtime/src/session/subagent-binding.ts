import type { LivePolicy } from '../permission/live-policy.ts';
import type { Policy, PolicyRule } from '../permission/policy.ts';
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
 * instructions and what the output is to be; never its own are permission mode and policy, asker, sandbox, environment and the limits of the tree.
 */
export function subagentBinding(parent: Binding, definition: SubagentDefinition): Binding {
  const { name, instructions, maxTurns, rules = [] } = definition;
  const { limits: _limits, output: _output, ...inherited } = parent;
  const turns = maxTurns ?? parent.limits?.maxTurns;
  return {
    ...inherited,
    ...Object.fromEntries(
      own.flatMap((field) => (definition[field] === undefined ? [] : [[field, definition[field]]])),
    ),
    agent: { name, fingerprint: parent.agent.fingerprint },
    system: instructions,
    policy: narrowed(parent.policy, ruleSource(name), rules),
    ...(parent.livePolicy === undefined
      ? {}
      : { livePolicy: narrowedLive(parent.livePolicy, ruleSource(name), rules) }),
    ...(turns === undefined ? {} : { limits: { maxTurns: turns } }),
  };
}

/** A rule that allows is left out: beside the root's rules it could make a question into none. */
function narrowed(policy: Policy, name: string, rules: readonly PolicyRule[]): Policy {
  const narrowing = rules.filter(({ behavior }) => behavior !== 'allow');
  if (narrowing.length === 0) return policy;
  return { ...policy, sources: [...policy.sources, { name, evaluation: 'strictest', rules: narrowing }] };
}

function narrowedLive(live: LivePolicy, name: string, rules: readonly PolicyRule[]): LivePolicy {
  let made: { readonly from: Policy; readonly policy: Policy } | undefined;
  return {
    ...live,
    current() {
      const from = live.current();
      if (made?.from !== from) made = { from, policy: narrowed(from, name, rules) };
      return made.policy;
    },
  };
}
