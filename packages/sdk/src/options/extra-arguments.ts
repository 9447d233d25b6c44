import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { Options } from './options.ts';

type Change = { readonly [Name in keyof Options]?: unknown };
type Read = (value: string | null, flag: string) => Change;

const on =
  (name: keyof Options, value: unknown = true): Read =>
  () => ({ [name]: value });

const words =
  (name: keyof Options): Read =>
  (value, flag) => ({ [name]: given(value, flag) });

const number =
  (name: keyof Options): Read =>
  (value, flag) => ({ [name]: Number(given(value, flag)) });

const list =
  (name: keyof Options): Read =>
  (value, flag) => ({
    [name]: given(value, flag)
      .split(',')
      .map((part) => part.trim()),
  });

/** What a flag of the command is as an option, for programs that pass flags on. */
const flags: Readonly<Record<string, Read>> = {
  'add-dir': list('additionalDirectories'),
  'allow-dangerously-skip-permissions': on('allowDangerouslySkipPermissions'),
  allowedTools: list('allowedTools'),
  'append-system-prompt': (value, flag) => ({
    systemPrompt: { type: 'preset', preset: 'claude_code', append: given(value, flag) },
  }),
  betas: list('betas'),
  continue: on('continue'),
  'dangerously-skip-permissions': () => ({
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
  }),
  debug: on('debug'),
  'debug-file': words('debugFile'),
  disallowedTools: list('disallowedTools'),
  effort: words('effort'),
  'fallback-model': words('fallbackModel'),
  'fork-session': on('forkSession'),
  'include-hook-events': on('includeHookEvents'),
  'include-partial-messages': on('includePartialMessages'),
  'json-schema': (value, flag) => ({ outputFormat: { type: 'json_schema', schema: json(given(value, flag), flag) } }),
  'max-budget-usd': number('maxBudgetUsd'),
  'max-thinking-tokens': number('maxThinkingTokens'),
  'max-turns': number('maxTurns'),
  model: words('model'),
  'no-session-persistence': on('persistSession', false),
  'permission-mode': words('permissionMode'),
  'permission-prompt-tool': words('permissionPromptToolName'),
  'replay-user-messages': on('replayUserMessages'),
  resume: words('resume'),
  'resume-session-at': words('resumeSessionAt'),
  'session-id': words('sessionId'),
  settings: words('settings'),
  'setting-sources': list('settingSources'),
  'strict-mcp-config': on('strictMcpConfig'),
  'system-prompt': words('systemPrompt'),
  'task-budget': (value, flag) => ({ taskBudget: { total: Number(given(value, flag)) } }),
  tools: list('tools'),
};

/**
 * The options with what `extraArgs` says, where no command is started that could take it. A flag that has no option has no
 * effect, which `note` says.
 * @throws RondoError `input.invalid` for a flag whose option is given too, and for a value that cannot be.
 */
export function withExtraArguments(options: Options, note: (text: string) => void): Options {
  const { extraArgs, ...rest } = options;
  // What is no object of texts is for the check of the options to tell.
  const isFlags = typeof extraArgs === 'object' && extraArgs !== null && !Array.isArray(extraArgs);
  if (!isFlags || !Object.values(extraArgs).every((value) => value === null || typeof value === 'string'))
    return options;
  const changed: Record<string, unknown> = { ...rest };
  for (const [flag, value] of Object.entries(extraArgs)) {
    const read = Object.hasOwn(flags, flag) ? flags[flag] : undefined;
    if (read === undefined) {
      const [nearest] = nearestNames(flag, Object.keys(flags));
      note(
        `options.extraArgs: no option does what --${flag} does, so it has no effect.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`,
      );
      continue;
    }
    for (const [name, said] of Object.entries(read(value, flag))) {
      if (changed[name] !== undefined)
        throw invalid(`--${flag} and options.${name} say the same thing twice: use one of them`);
      changed[name] = said;
    }
  }
  return changed;
}

function given(value: string | null, flag: string): string {
  if (value === null) throw invalid(`--${flag} takes a value, and has none`);
  return value;
}

function json(text: string, flag: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`--${flag} takes JSON: ${String(cause)}`);
  }
}

function invalid(problem: string): RondoError {
  return new RondoError('input.invalid', `options.extraArgs: ${problem}.`, { details: { option: 'extraArgs' } });
}
