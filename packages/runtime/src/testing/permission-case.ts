import assert from 'node:assert/strict';
import type { JsonObject, PermissionBehavior, PermissionMode } from '@rondo/protocol';
import type { AgentPermissionRule } from '../permission/compile-policy.ts';

/** The rules of one layer, as people write them. */
export interface CaseRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** What may run, in plain words: an engine compiles it to whatever it works with. */
export interface CasePolicy extends CaseRules {
  /** `default` unless said. */
  readonly mode?: PermissionMode;
  /** Settings layers. Their order does not matter. */
  readonly sources?: readonly (CaseRules & {
    readonly name: string;
    /** The folder that `/path` in their rules starts from; the session's unless said. */
    readonly root?: string;
  })[];
  /** The first face: its mode, and its rules, of which the first that names the tool decides. */
  readonly agentMode?: 'auto' | 'ask' | 'deny';
  readonly agentPolicy?: {
    readonly default: PermissionBehavior;
    readonly rules: readonly AgentPermissionRule[];
  };
  /** The session's folder first. `/work` unless said. */
  readonly directories?: readonly [string, ...string[]];
  /** `/home/me` unless said. */
  readonly home?: string;
  readonly sandbox?: {
    readonly enabled: boolean;
    readonly autoAllowBashIfSandboxed?: boolean;
    readonly excludedCommands?: readonly string[];
    readonly allowUnsandboxedCommands?: boolean;
  };
}

/** One call, and what a policy says of it. All of it is JSON. */
export interface PermissionCase {
  readonly id: string;
  readonly policy: CasePolicy;
  /** Of a subagent: the policies of those it works for, the root's first. */
  readonly parents?: readonly CasePolicy[];
  /** Symbolic links, by where they are: absolute, or relative to their folder. Whatever else is named exists or not. */
  readonly files?: Readonly<Record<string, string>>;
  /** The file system does not tell upper from lower case. */
  readonly foldCase?: boolean;
  /** Somebody is there to answer a question. True unless said. */
  readonly attended?: boolean;
  /** What a hook before the tool says of the call. */
  readonly hook?: { readonly decision: 'allow' | 'ask'; readonly reason?: string };
  /** What the classifier of the mode `auto` says, should it be asked. `ask` unless said. */
  readonly classifier?: PermissionBehavior;
  readonly call: { readonly tool: string; readonly input: JsonObject };
  readonly expected: PermissionBehavior;
  /** A decision that is stricter is right too: what nobody can tell from the line may be denied as well as asked about. */
  readonly orStricter?: true;
  /** Which step of the order decides, by which rule of which source; where the case is about that. */
  readonly step?: string;
  readonly rule?: string;
  readonly source?: string;
  /** Why, in a sentence. */
  readonly why: string;
}

export interface CaseVerdict {
  readonly decision: PermissionBehavior;
  readonly step?: string | undefined;
  readonly rule?: string | undefined;
  readonly source?: string | undefined;
}

/** Says of a case what its policy says of its call. */
export type PermissionEngine = (subject: PermissionCase) => CaseVerdict | Promise<CaseVerdict>;

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/** Runs a case on an engine; `steps` where the engine names its steps, rules and sources as Rondo does. Rejects when it says otherwise. */
export async function checkPermissionCase(
  subject: PermissionCase,
  engine: PermissionEngine,
  { steps = false }: { readonly steps?: boolean } = {},
): Promise<void> {
  const verdict = await engine(subject);
  const { id, expected, orStricter = false, why, call } = subject;
  const isRight = verdict.decision === expected || (orStricter && strictness[verdict.decision] > strictness[expected]);
  const said = `${id}: ${call.tool} ${JSON.stringify(call.input)} is to be ${expected}, and was ${verdict.decision}. ${why}`;
  assert.ok(isRight, said);
  if (!steps) return;
  for (const part of ['step', 'rule', 'source'] as const) {
    if (subject[part] !== undefined) assert.equal(verdict[part], subject[part], `${id}: the ${part} that decides`);
  }
}
