import type { DecisionChange, Divergence, HookChange, HookVerdict, ReplayReport, ReplayVerdict } from '@rondo/sdk';
import { printableLine } from '../terminal/printable-text.ts';

/** What a replay found, for people. */
export function replayText(report: ReplayReport): string {
  const { sessionId, mode, divergence, changes, hookChanges, notes, liveCalls } = report;
  const lines: string[] = [];
  if (divergence === undefined) lines.push(`${sessionId}  goes as it went: ${counts(report)}`);
  else
    lines.push(
      `${sessionId}  goes another way at event ${divergence.seq}, ${divergence.type}`,
      ...differing(divergence),
    );
  if (mode === 'behavioural') {
    const { decisions, hookRuns } = report;
    lines.push(judged(`${counted(decisions, 'call')} judged by today's policy`, changes.length));
    lines.push(...changes.flatMap(changed));
    if (hookRuns > 0 || hookChanges.length > 0)
      lines.push(judged(`${counted(hookRuns, 'run')} of today's hooks`, hookChanges.length));
    lines.push(...hookChanges.flatMap(changedByHook));
  }
  if (liveCalls > 0) lines.push(`  ${counted(liveCalls, 'call')} without an effect really ran`);
  lines.push(...notes.map((note) => `  note: ${note}`));
  return `${lines.join('\n')}\n`;
}

function counts({ turns, requests, compared, events }: ReplayReport): string {
  const asked = `${counted(requests, 'request')} to the model`;
  return `${counted(turns, 'turn')}, ${asked}, ${compared} of ${counted(events, 'event')} compared`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function differing({ path, recorded, replayed, evidence }: Divergence): string[] {
  return [
    ...(path === '' ? [] : [`  ${path}`]),
    `  - recorded: ${valueText(recorded)}`,
    ...(replayed === undefined && evidence !== undefined ? [] : [`  + replayed: ${valueText(replayed)}`]),
    ...(evidence === undefined ? [] : [`  ${printableLine(evidence, 400)}`]),
  ];
}

function changed({ seq, tool, callId, recorded, today }: DecisionChange): string[] {
  return [
    `  event ${seq}, ${printableLine(tool, 60)} (${callId})`,
    `  - recorded: ${verdictText(recorded)}`,
    `  + today:    ${verdictText(today)}`,
  ];
}

function judged(what: string, otherwise: number): string {
  return `  ${what}: ${otherwise === 0 ? 'all as they were' : `${otherwise} otherwise`}`;
}

const absent = { gone: 'gone', new: 'not there', unreached: 'not asked', differs: 'nothing' } as const;

function changedByHook({ seq, point, hook, tool, callId, recorded, today, reason }: HookChange): string[] {
  const call = tool === undefined ? '' : `, ${printableLine(tool, 60)} (${callId ?? ''})`;
  return [
    `  event ${seq}, hook ${printableLine(hook, 60)} at ${point}${call}`,
    `  - recorded: ${recorded === undefined ? absent[reason] : hookText(recorded)}`,
    `  + today:    ${today === undefined ? absent[reason] : hookText(today)}`,
  ];
}

function hookText({ type, reason, replaced, put }: HookVerdict): string {
  const what = put === undefined ? (replaced === true ? 'something else' : undefined) : JSON.stringify(put);
  const why = reason ?? (what === undefined ? undefined : `puts ${what} in place`);
  return printableLine(why === undefined ? type : `${type} (${why})`, 300);
}

function verdictText({ decision, rule, source, reason, reasonType }: ReplayVerdict): string {
  const of = source === undefined ? '' : ` of ${source}`;
  const by = reasonType === 'hook' && source !== undefined ? `hook ${source}: ` : '';
  const why = rule === undefined ? (reason ?? reasonType) : `rule ${rule}${of}`;
  return printableLine(why === undefined ? decision : `${decision} (${by}${why})`, 300);
}

function valueText(value: unknown): string {
  return value === undefined ? 'nothing' : printableLine(JSON.stringify(value), 300);
}
