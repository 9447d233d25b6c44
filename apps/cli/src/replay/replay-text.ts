import type { DecisionChange, Divergence, ReplayReport, ReplayVerdict } from '@rondo/sdk';
import { printableLine } from '../terminal/printable-text.ts';

/** What a replay found, for people. */
export function replayText(report: ReplayReport): string {
  const { sessionId, mode, divergence, changes, notes, decisions, liveCalls } = report;
  const lines: string[] = [];
  if (divergence === undefined) lines.push(`${sessionId}  goes as it went: ${counts(report)}`);
  else
    lines.push(
      `${sessionId}  goes another way at event ${divergence.seq}, ${divergence.type}`,
      ...differing(divergence),
    );
  if (mode === 'behavioural') {
    const judged = `${counted(decisions, 'call')} judged by today's policy`;
    lines.push(changes.length === 0 ? `  ${judged}: all as they were` : `  ${judged}: ${changes.length} otherwise`);
    lines.push(...changes.flatMap(changed));
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

function verdictText({ decision, rule, source, reason, reasonType }: ReplayVerdict): string {
  const why =
    rule === undefined ? (reason ?? reasonType) : `rule ${rule}${source === undefined ? '' : ` of ${source}`}`;
  return printableLine(why === undefined ? decision : `${decision} (${why})`, 300);
}

function valueText(value: unknown): string {
  return value === undefined ? 'nothing' : printableLine(JSON.stringify(value), 300);
}
