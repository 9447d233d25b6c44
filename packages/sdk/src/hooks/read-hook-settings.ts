import { isRecord } from '../is-record.ts';
import { didYouMean, isHookEvent } from './hook-event-name.ts';
import type { HookEntry, HookProblem, HookSource, NoteProblem } from './hook-entry.ts';
import { compileMatcher } from './hook-matcher.ts';

type Fields = Readonly<Record<string, unknown>>;

const rightForm = '"PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "…" }] }]';
const groupFields = new Set(['matcher', 'hooks', 'description', 'id']);
/** Events of the reference that no turn of this version has. */
const laterEvents = new Set([
  'CwdChanged',
  'Elicitation',
  'ElicitationResult',
  'FileChanged',
  'InstructionsLoaded',
  'PermissionDenied',
  'PostCompact',
  'StopFailure',
  'TaskCreated',
  'UserPromptExpansion',
]);

/**
 * The hooks that a `hooks` object of settings holds, in every shape that people write. What is not understood is named
 * and left out; nothing is run under a name that was not meant.
 */
export function readHookSettings(source: HookSource): {
  readonly entries: readonly HookEntry[];
  readonly problems: readonly HookProblem[];
} {
  const problems: HookProblem[] = [];
  const note: NoteProblem = (key, severity, problem, suggestion) =>
    problems.push({
      file: source.file ?? source.name,
      key,
      problem,
      severity,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  const { hooks } = source;
  if (hooks === undefined || hooks === null) return { entries: [], problems };
  if (!isRecord(hooks)) {
    note('hooks', 'error', 'takes an object of events', rightForm);
    return { entries: [], problems };
  }
  if (isForeign(hooks)) {
    note('hooks', 'notice', 'is written for another product and is skipped');
    return { entries: [], problems };
  }
  const entries = Object.entries(hooks).flatMap(([event, groups]) => readEvent(source, note, event, groups));
  return { entries, problems };
}

function readEvent(source: HookSource, note: NoteProblem, event: string, groups: unknown): readonly HookEntry[] {
  const key = `hooks.${event}`;
  if (!isHookEvent(event)) {
    const problem = laterEvents.has(event)
      ? 'is an event that does not happen in this version: its hooks never run'
      : `is no event${didYouMean(event)}: its hooks never run`;
    note(key, 'warning', problem);
    return [];
  }
  if (!Array.isArray(groups)) {
    note(key, 'error', 'takes a list: its hooks do not run', rightForm);
    return [];
  }
  return groups.flatMap((group: unknown, index): readonly HookEntry[] => {
    const place = `${key}[${index}]`;
    if (!isRecord(group)) {
      note(place, 'error', 'takes { matcher, hooks }: it does not run', rightForm);
      return [];
    }
    if (group['hooks'] === undefined && (group['type'] !== undefined || group['command'] !== undefined)) {
      note(place, 'warning', 'is read as a group of one hook for every subject', rightForm);
      return readGroup(source, note, { event, key: place, matcher: group['matcher'], hooks: [group], isFlat: true });
    }
    for (const field of Object.keys(group))
      if (!groupFields.has(field)) note(`${place}.${field}`, 'notice', 'is not known and has no effect');
    if (!Array.isArray(group['hooks'])) {
      note(`${place}.hooks`, 'error', 'takes a list: its hooks do not run', rightForm);
      return [];
    }
    return readGroup(source, note, { event, key: place, matcher: group['matcher'], hooks: group['hooks'] });
  });
}

interface Group {
  readonly event: HookEntry['event'];
  readonly key: string;
  readonly matcher: unknown;
  readonly hooks: readonly unknown[];
  readonly isFlat?: boolean;
}

function readGroup(source: HookSource, note: NoteProblem, group: Group): readonly HookEntry[] {
  const { event, key, matcher, hooks, isFlat = false } = group;
  const { matches, never, notice } = compileMatcher(event, matcher);
  if (never !== undefined) {
    note(`${key}.matcher`, 'error', `makes hooks that never run: ${never}`);
    return [];
  }
  if (notice !== undefined) note(`${key}.matcher`, 'warning', notice);
  const suffix = typeof matcher === 'string' && matcher !== '' ? `(${matcher})` : '';
  return hooks.flatMap((fields, index) => {
    const place = isFlat ? key : `${key}.hooks[${index}]`;
    if (!isRecord(fields)) {
      note(place, 'error', 'takes { type, command }: it does not run', rightForm);
      return [];
    }
    const name = `${event}/${source.name}${place.slice(`hooks.${event}`.length)}${suffix}`;
    return [{ name, event, ...(matches === undefined ? {} : { matches }), fields, source, key: place }];
  });
}

/** Another product's file: events in camel case whose entries are shell lines by shell, or that stand beside a version. */
function isForeign(hooks: Fields): boolean {
  const events = Object.entries(hooks).filter(([, value]) => Array.isArray(value) || isRecord(value));
  return (
    events.length > 0 &&
    events.every(([event, value]) => {
      if (!/^[a-z]/.test(event) || isHookEvent(event)) return false;
      const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
      return entries.every((entry) => isRecord(entry) && entry['hooks'] === undefined);
    })
  );
}
