/** What comes of a hook's run, at an event. */
export type HookResult = keyof typeof hookResults;

/** Every result in words. */
export const hookResults = {
  'no opinion': 'goes on as if there were no such hook',
  allowed: 'the call needs no question; rules and `plan` hold as before',
  denied: 'the call does not run; the model reads the reason',
  asked: 'a person is asked, whatever is allowed',
  deferred: 'the turn ends at the call, which waits; in a subagent: denied',
  blocked: 'what the event is about is stopped or sent back, with the reason',
  told: 'nothing can be stopped here; the reason is shown to the person',
  failed:
    'of a call (`PreToolUse`, `PermissionRequest`) and of a prompt (`UserPromptSubmit`): denied, unless the hook is `failOpen`; elsewhere: goes on; the failure is shown',
  aborted: 'the turn has ended; what the hook says counts for nothing, and the call does not run',
} as const;

/** The kinds of events that outcomes differ by. */
export const outcomeColumns = {
  PreToolUse: 'PreToolUse',
  PermissionRequest: 'PermissionRequest',
  blocks: 'events that can be blocked',
  tells: 'events that cannot',
} as const;
export type OutcomeColumn = keyof typeof outcomeColumns;

type Results = Readonly<Record<OutcomeColumn, HookResult>>;

const results = (
  PreToolUse: HookResult,
  PermissionRequest: HookResult,
  blocks: HookResult,
  tells: HookResult,
): Results => ({ PreToolUse, PermissionRequest, blocks, tells });

const everywhere = (result: HookResult): Results => results(result, result, result, result);
const nothing = everywhere('no opinion');
const failure = everywhere('failed');
const refusal = results('denied', 'denied', 'blocked', 'told');

/** What a command wrote to its standard output. JSON is in the event's documented form. */
const commandOutputs = {
  nothing: nothing,
  'JSON: allow': results('allowed', 'allowed', 'no opinion', 'no opinion'),
  'JSON: deny or block': refusal,
  'JSON: ask': results('asked', 'no opinion', 'no opinion', 'no opinion'),
  'JSON: defer': results('deferred', 'no opinion', 'no opinion', 'no opinion'),
  text: nothing,
  'text, then JSON: allow': nothing,
  'text, then JSON: deny or block': refusal,
  'invalid JSON': failure,
  'more than 1 MiB': failure,
} as const;
export type CommandOutput = keyof typeof commandOutputs;

/** A refusal counts also where the command failed; nothing else does. */
const whenItFailed: Partial<Record<CommandOutput, Results>> = {
  'JSON: deny or block': { ...refusal, tells: 'failed' },
  'text, then JSON: deny or block': { ...refusal, tells: 'failed' },
};

const commandEndings = {
  'exit 0': commandOutputs,
  'exit 1': whenItFailed,
  'exit 2': refusal,
  'exit 127': whenItFailed,
  'another exit code': whenItFailed,
  'ended by a signal': whenItFailed,
  'could not be started': failure,
  'out of time': failure,
  'the turn is stopped': everywhere('aborted'),
} as const;
export type CommandEnding = keyof typeof commandEndings;

const callbackEndings = {
  'returns nothing': nothing,
  'returns {}': nothing,
  'returns allow': commandOutputs['JSON: allow'],
  'returns deny or block': refusal,
  'returns ask': commandOutputs['JSON: ask'],
  'returns defer': commandOutputs['JSON: defer'],
  'returns { async: true }': nothing,
  'returns what is no object': failure,
  'returns an unknown decision': failure,
  throws: failure,
  rejects: failure,
  'never settles': failure,
  'never settles, and the turn is stopped': everywhere('aborted'),
  'returns allow after the turn was stopped': everywhere('aborted'),
} as const;
export type CallbackEnding = keyof typeof callbackEndings;

export interface HookOutcome<Ending extends string> {
  readonly ending: Ending;
  /** What a command had written until then. */
  readonly output?: CommandOutput;
  readonly results: Results;
}

/**
 * The one table of what comes of a hook, for every way in which one can end. Nothing but a documented allowance, as the
 * whole answer of a hook that ended well, ever allows.
 */
export const hookOutcomes: {
  readonly command: readonly HookOutcome<CommandEnding>[];
  readonly callback: readonly HookOutcome<CallbackEnding>[];
} = {
  command: namesOf(commandEndings).flatMap((ending) =>
    namesOf(commandOutputs).map((output) => ({ ending, output, results: commandResults(ending, output) })),
  ),
  callback: namesOf(callbackEndings).map((ending) => ({ ending, results: callbackEndings[ending] })),
};

function commandResults(ending: CommandEnding, output: CommandOutput): Results {
  const row: Results | Partial<Record<CommandOutput, Results>> = commandEndings[ending];
  return isResults(row) ? row : (row[output] ?? failure);
}

function isResults(row: Results | Partial<Record<CommandOutput, Results>>): row is Results {
  return 'PreToolUse' in row;
}

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(table) as Name[];
}
