import type { JsonObject, PermissionBehavior, PermissionMode } from '@rondo/protocol';
import { expect, test, vi } from 'vitest';
import { judgeCase } from '../testing/judge-case.ts';
import type { CasePolicy, PermissionCase } from '../testing/permission-case.ts';

vi.setConfig({ testTimeout: 120_000 });

/** A call, and all that the order asks about it; the expectations below are made of this and never of the engine. */
interface Call {
  readonly tool: string;
  readonly input: JsonObject;
  /** It only reads, in the session directories. */
  readonly reads?: true;
  /** It edits a file in the session directories. */
  readonly edits?: true;
  readonly needsPerson?: true;
  readonly isUnclear?: true;
}

const calls: readonly Call[] = [
  { tool: 'Read', input: { file_path: 'a.ts' }, reads: true },
  { tool: 'Write', input: { file_path: 'a.ts', content: '' }, edits: true },
  { tool: 'Bash', input: { command: 'ls' }, reads: true },
  { tool: 'Bash', input: { command: 'mk all' } },
  { tool: 'Bash', input: { command: 'eval "$X"' }, isUnclear: true },
  { tool: 'mcp__files__write', input: { path: 'a' } },
  { tool: 'AskUserQuestion', input: { questions: [] }, needsPerson: true },
];

const modes: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto'];
const agentModes = ['auto', 'ask', 'deny'] as const;
const behaviors: readonly (PermissionBehavior | undefined)[] = [undefined, 'allow', 'ask', 'deny'];
const agentPolicies: readonly (
  | readonly [rule: PermissionBehavior | undefined, fallback: PermissionBehavior]
  | undefined
)[] = [
  undefined,
  ...behaviors.flatMap((rule) => (['allow', 'ask', 'deny'] as const).map((fallback) => [rule, fallback] as const)),
];
const hooks = [undefined, { decision: 'ask' }, { decision: 'allow' }] as const;

interface Combination {
  readonly mode: PermissionMode;
  readonly agentMode: (typeof agentModes)[number];
  readonly first: PermissionBehavior | undefined;
  readonly second: PermissionBehavior | undefined;
  readonly agentPolicy: (typeof agentPolicies)[number];
  readonly hook: (typeof hooks)[number];
  readonly attended: boolean;
  readonly classifier: PermissionBehavior;
}

/** The order of the architecture, section 6, in the fewest words. */
function expected(call: Call, given: Combination): PermissionBehavior {
  const { mode, agentMode, first, second, agentPolicy, hook, attended, classifier } = given;
  const fromMode = agentMode === 'auto' ? undefined : agentMode;
  const [inOrder, fallback] = agentPolicy ?? [];
  const said = [fromMode, first, second, inOrder].filter((each) => each !== undefined);

  // 2: deny rules, of every source. 4, first: plan refuses what writes, and nothing lifts that.
  if (said.includes('deny')) return 'deny';
  if (mode === 'plan' && call.reads !== true && call.needsPerson !== true) return 'deny';

  // 3: ask rules, a hook's ask, tools that need the person, lines that are not understood.
  // No rule here is narrower than its tool: whoever allows the tool, this very line or whatever nobody speaks of, has
  // allowed also what is not understood.
  const isWholeAllowed =
    mode === 'bypassPermissions' ||
    said.includes('allow') ||
    hook?.decision === 'allow' ||
    (said.length === 0 && fallback === 'allow');
  const isHeld =
    said.includes('ask') ||
    hook?.decision === 'ask' ||
    call.needsPerson === true ||
    (call.isUnclear === true && !isWholeAllowed);
  // 6, for a hit in 3: nobody is asked in dontAsk, and nobody is there when unattended; the classifier is no person.
  // The first face's fallback denies all the same what nobody speaks of.
  const isLeftToFallback = call.isUnclear === true && hook === undefined && said.length === 0 && fallback === 'deny';
  if (isHeld && isLeftToFallback) return 'deny';
  if (isHeld) return mode === 'dontAsk' || !attended ? 'deny' : 'ask';

  // 4: what the mode covers. 5: allow rules, and a hook's allow.
  if (mode === 'bypassPermissions' || call.reads === true) return 'allow';
  if (mode === 'acceptEdits' && call.edits === true) return 'allow';
  if (said.includes('allow') || hook?.decision === 'allow') return 'allow';

  // 6: the fallback, where no source speaks; then the mode's second place. 7: the question.
  if (said.length === 0 && fallback !== undefined && fallback !== 'ask') return fallback;
  if (mode === 'dontAsk') return 'deny';
  if (mode === 'auto' && call.isUnclear !== true && classifier !== 'ask') return classifier;
  return attended ? 'ask' : 'deny';
}

function caseOf({ tool, input }: Call, given: Combination): PermissionCase {
  const { mode, agentMode, first, second, agentPolicy, hook, attended, classifier } = given;
  const policy: CasePolicy = {
    mode,
    agentMode,
    ...(first === undefined ? {} : { [first]: [tool] }),
    ...(second === undefined ? {} : { sources: [{ name: 'second', [second]: [tool] }] }),
    ...(agentPolicy === undefined
      ? {}
      : {
          agentPolicy: {
            default: agentPolicy[1],
            rules: agentPolicy[0] === undefined ? [] : [{ tools: [tool], decision: agentPolicy[0] }],
          },
        }),
  };
  return {
    id: 'generated',
    policy,
    ...(hook === undefined ? {} : { hook }),
    attended,
    classifier,
    call: { tool, input },
    expected: 'ask',
    why: '',
  };
}

function* combinations(): Generator<Combination> {
  for (const mode of modes)
    for (const agentMode of agentModes)
      for (const first of behaviors)
        for (const second of behaviors)
          for (const agentPolicy of agentPolicies)
            for (const hook of hooks)
              for (const attended of [true, false]) {
                const classifiers: readonly PermissionBehavior[] = mode === 'auto' ? ['allow', 'ask', 'deny'] : ['ask'];
                for (const classifier of classifiers)
                  yield { mode, agentMode, first, second, agentPolicy, hook, attended, classifier };
              }
}

test.each(calls.map((call) => [`${call.tool} ${JSON.stringify(call.input)}`, call] as const))(
  'issue 5, accept 10: %s, in both modes of both faces and every combination of policies',
  async (_name, call) => {
    const wrong: unknown[] = [];
    let index = 0;
    for (const given of combinations()) {
      // A prime, so that each call meets every value beside every other one; together they meet more than ten thousand.
      if (index++ % 13 !== calls.indexOf(call)) continue;
      const { decision, reason } = await judgeCase(caseOf(call, given));
      const right = expected(call, given);
      if (decision !== right && wrong.length < 5) wrong.push({ ...given, right, decision, reason });
    }
    expect(wrong).toEqual([]);
    expect(index).toBeGreaterThan(20_000);
  },
);
