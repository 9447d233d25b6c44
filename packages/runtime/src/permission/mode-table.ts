import type { PermissionMode } from '@rondo/protocol';
import type { AgentPermissionMode } from './compile-policy.ts';
import type { Policy } from './policy.ts';

/** What a mode does with calls of a kind. */
export type ModeVerdict =
  /** No question is needed: the mode's first place. */
  | 'run'
  /** No answer and no rule lifts it: before the ask rules. */
  | 'refuse'
  /** The question, unless a rule allows. */
  | 'ask'
  /** Denied instead of the question, unless a rule allows. */
  | 'deny'
  /** The classifier instead of the question, unless a rule allows. */
  | 'classify';

/** What calls are told apart by, for the modes, in the order in which a call is one of them. */
export const callKinds = {
  read: 'reads files in the session directories',
  readElsewhere: 'reads files elsewhere',
  unsandboxed: 'a command that asks to run outside the sandbox',
  protectedWrite: 'writes a protected place',
  edit: 'edits files in the session directories',
  fileCommand: 'a command that makes, moves or copies files in the session directories',
  sandboxed: 'a command that runs in the sandbox, where that is to suffice',
  editElsewhere: 'edits files elsewhere',
  command: 'any other command',
  quiet: 'has no effect, and does not say what it reads',
  other: 'anything else',
} as const;

export type CallKind = keyof typeof callKinds;

const asking = {
  read: 'run',
  readElsewhere: 'ask',
  unsandboxed: 'ask',
  protectedWrite: 'ask',
  edit: 'ask',
  fileCommand: 'ask',
  sandboxed: 'run',
  editElsewhere: 'ask',
  command: 'ask',
  quiet: 'ask',
  other: 'ask',
} as const satisfies Record<CallKind, ModeVerdict>;

/** What each mode does for each kind of call, kept once: the engine follows it, docs and `explain` print it. */
export const modeTable = {
  default: asking,
  acceptEdits: { ...asking, edit: 'run', fileCommand: 'run' },
  plan: {
    read: 'run',
    readElsewhere: 'run',
    unsandboxed: 'refuse',
    protectedWrite: 'refuse',
    edit: 'refuse',
    fileCommand: 'refuse',
    sandboxed: 'refuse',
    editElsewhere: 'refuse',
    command: 'refuse',
    quiet: 'ask',
    other: 'refuse',
  },
  dontAsk: {
    read: 'run',
    readElsewhere: 'deny',
    unsandboxed: 'deny',
    protectedWrite: 'deny',
    edit: 'deny',
    fileCommand: 'deny',
    sandboxed: 'run',
    editElsewhere: 'deny',
    command: 'deny',
    quiet: 'deny',
    other: 'deny',
  },
  auto: {
    read: 'run',
    readElsewhere: 'classify',
    unsandboxed: 'ask',
    protectedWrite: 'ask',
    edit: 'classify',
    fileCommand: 'classify',
    sandboxed: 'run',
    editElsewhere: 'classify',
    command: 'classify',
    quiet: 'classify',
    other: 'classify',
  },
  bypassPermissions: {
    read: 'run',
    readElsewhere: 'run',
    unsandboxed: 'run',
    protectedWrite: 'run',
    edit: 'run',
    fileCommand: 'run',
    sandboxed: 'run',
    editElsewhere: 'run',
    command: 'run',
    quiet: 'run',
    other: 'run',
  },
} as const satisfies Record<PermissionMode, Record<CallKind, ModeVerdict>>;

/** The stricter first. */
const strictness: readonly ModeVerdict[] = ['refuse', 'deny', 'ask', 'classify', 'run'];

/** What the policy's mode, with those that narrow it, does with calls of a kind. */
export function modeVerdict(policy: Pick<Policy, 'mode' | 'narrowedBy'>, kind: CallKind): ModeVerdict {
  const said = modesOf(policy).map((mode): ModeVerdict => modeTable[mode][kind]);
  return strictness.find((verdict) => said.includes(verdict)) ?? 'ask';
}

/** The policy's own first. */
export function modesOf({ mode, narrowedBy = [] }: Pick<Policy, 'mode' | 'narrowedBy'>): readonly PermissionMode[] {
  return [mode, ...narrowedBy];
}

/** True where nothing narrows bypassing. */
export function bypasses(policy: Pick<Policy, 'mode' | 'narrowedBy'>): boolean {
  return modesOf(policy).every((mode) => mode === 'bypassPermissions');
}

/** True where files may be edited in the session's folders without a question. */
export function acceptsEdits(policy: Pick<Policy, 'mode' | 'narrowedBy'>): boolean {
  return !bypasses(policy) && modeVerdict(policy, 'edit') === 'run';
}

/** The first face's modes, each a source of rules of its own. */
export const agentModeTable = {
  auto: 'says nothing: the policy decides',
  ask: 'an ask rule for every call',
  deny: 'a deny rule for every call',
} as const satisfies Record<AgentPermissionMode, string>;

const shownVerdicts: Record<ModeVerdict, string> = {
  run: 'runs',
  refuse: 'refused',
  ask: 'asked',
  deny: 'denied',
  classify: 'classifier',
};

/** The table as Markdown, for docs and terminals. */
export function describeModeTable(): string {
  const modes = Object.keys(modeTable) as PermissionMode[];
  const kinds = Object.keys(callKinds) as CallKind[];
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(['a call that', ...modes.map((mode) => `\`${mode}\``)]),
    row(['---', ...modes.map(() => '---')]),
    ...kinds.map((kind) => row([callKinds[kind], ...modes.map((mode) => shownVerdicts[modeTable[mode][kind]])])),
  ].join('\n');
}

/** The first face's modes as Markdown. */
export function describeAgentModes(): string {
  return Object.entries(agentModeTable)
    .map(([mode, what]) => `- \`${mode}\`: ${what}`)
    .join('\n');
}
