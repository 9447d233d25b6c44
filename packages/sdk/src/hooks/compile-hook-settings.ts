import { eventRules, type EventHook } from '@rondo/runtime';
import type { CommandHookContext } from './command-hook.ts';
import type { HookEntry, HookProblem, HookSource, NoteProblem } from './hook-entry.ts';
import { hookEventFacts } from './hook-event-facts.ts';
import { readHookOptions, type MatchesRule } from './hook-options.ts';
import { unsetVariables } from './hook-variables.ts';
import type { AskModel } from './prompt-hook.ts';
import { readHookSettings } from './read-hook-settings.ts';

export interface HookSettingsContext extends CommandHookContext {
  /** Judges `if`. Absent: hooks with one run on every call, which is said. */
  readonly matchesRule?: MatchesRule | undefined;
  /** Absent: prompt hooks cannot run. */
  readonly askModel?: AskModel | undefined;
}

export interface CompiledHookSettings {
  readonly hooks: readonly EventHook[];
  /** In the order of the sources. */
  readonly problems: readonly HookProblem[];
}

/** Seconds, where a hook names none. */
const commandTimeout = 600;
const promptTimeout = 30;

/**
 * The hooks of settings files and plugins. One that cannot run (of a kind that is not served, without a command) is said so,
 * and where it guards calls or prompts it denies them, unless it is `failOpen`: its author relies on it.
 */
export function compileHookSettings(
  sources: readonly HookSource[],
  context: HookSettingsContext,
): CompiledHookSettings {
  const problems: HookProblem[] = [];
  const hooks = sources.flatMap((source) => {
    const read = readHookSettings(source);
    problems.push(...read.problems);
    const note: NoteProblem = (key, severity, problem, suggestion) =>
      problems.push({
        file: source.file ?? source.name,
        key,
        problem,
        severity,
        ...(suggestion === undefined ? {} : { suggestion }),
      });
    return read.entries.flatMap((entry) => compileEntry(entry, context, note) ?? []);
  });
  return { hooks, problems };
}

function compileEntry(entry: HookEntry, context: HookSettingsContext, note: NoteProblem): EventHook | undefined {
  const { name, event, matches, fields, key } = entry;
  const type = fields['type'] ?? (typeof fields['command'] === 'string' ? 'command' : undefined);
  if (fields['type'] === undefined && type === 'command')
    note(`${key}.type`, 'warning', 'is missing and is read as "command"');
  const { matchesRule } = context;
  if (fields['if'] !== undefined && matchesRule === undefined)
    note(`${key}.if`, 'warning', 'cannot be judged here: the hook runs on every call');
  const defaultTimeout = type === 'prompt' ? promptTimeout : commandTimeout;
  const options = readHookOptions(entry, { note, defaultTimeout, matchesRule });
  const base = { name, event, ...(matches === undefined ? {} : { matches }), ...options };
  const unusable = whyUnusable(type, entry, context);
  if (unusable !== undefined) return refuseEntry(base, entry, unusable, note);
  const { askModel } = context;
  if (type === 'prompt' && askModel !== undefined)
    return {
      ...base,
      run: async (input, { signal, used }) => {
        const { runPromptHook } = await import('./prompt-hook.ts');
        return await runPromptHook(entry, input, { askModel, signal, onUsage: used });
      },
    };
  noteShell(entry, note);
  const unset = unsetVariables(String(fields['command']), context.env());
  if (unset.length > 0)
    note(
      `${key}.command`,
      'notice',
      `reads ${unset.join(', ')}, which nothing sets: the input is JSON on standard input`,
    );
  return {
    ...base,
    run: async (input, run) => {
      const { runCommandHook } = await import('./command-hook.ts');
      return await runCommandHook(entry, input, { ...context, context: run, timeoutMs: base.timeoutMs });
    },
  };
}

/** Why a hook cannot run, in words that follow its place. */
function whyUnusable(type: unknown, { fields }: HookEntry, { askModel }: HookSettingsContext): string | undefined {
  switch (type) {
    case 'command':
      return isText(fields['command']) ? undefined : 'has no command, which takes a shell line as text';
    case 'prompt':
      if (!isText(fields['prompt'])) return 'has no prompt, which takes a text';
      return askModel === undefined ? 'is a prompt hook, and no model can be asked here' : undefined;
    case 'agent':
    case 'http':
    case 'mcp_tool':
      return `is of type ${type}, which this version does not run; use a command hook`;
    case undefined:
      return 'has no type; write "type": "command"';
    default:
      return `is of type ${JSON.stringify(type)}, which is not known; types are command, prompt, agent, http, mcp_tool`;
  }
}

function refuseEntry(
  base: Omit<EventHook, 'run'>,
  { key, event }: HookEntry,
  why: string,
  note: NoteProblem,
): EventHook | undefined {
  const denies = eventRules[event].failsClosed === true && base.failOpen !== true;
  const what =
    hookEventFacts[event].power === 'guards' ? 'every call it is about is denied' : 'every prompt is blocked';
  note(key, 'error', `${why}: ${denies ? what : 'it does not run'}`);
  if (!denies) return undefined;
  // It denies at once and is not in the background, whatever it says of itself.
  const { background: _, ...guard } = base;
  return { ...guard, run: () => Promise.reject(new Error(`the hook cannot run: ${key} ${why}`)) };
}

function noteShell({ fields, key }: HookEntry, note: NoteProblem): void {
  const { shell } = fields;
  if (shell === undefined || shell === 'bash' || shell === 'powershell') return;
  note(`${key}.shell`, 'warning', 'takes "bash" or "powershell", and is taken as "bash"');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
