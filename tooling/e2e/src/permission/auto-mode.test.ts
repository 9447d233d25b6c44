import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTerminal } from '../harness/open-terminal.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';
import { scriptModel, writeScript } from '../harness/write-script.ts';

/** The mode, with a script that judges: a verdict a call. */
function auto(place: Place, verdicts: readonly string[]): string[] {
  const steps = verdicts.map((text) => ({ text }));
  const classifierModel = scriptModel(place, steps, { name: 'judge', order: 'once', unused: 'ignore' });
  return ['--permission-mode', 'auto', '--settings', JSON.stringify({ permissions: { classifierModel } })];
}

interface Line {
  readonly subtype?: string;
  readonly session_id?: string;
}

const made = (place: Place, name: string): boolean => existsSync(join(place.project, name));

describe('the mode auto of the built command', () => {
  test('runs what the classifier allows, denies the rest where nobody is there, and says why', async () => {
    using place = createPlace();
    const script = writeScript(place, [
      { call: 'Bash', input: { command: 'touch allowed' } },
      { expect: { results: [{ error: false }] }, call: 'Bash', input: { command: 'touch denied' } },
      { expect: { results: ['classifier: not wanted'] }, call: 'Bash', input: { command: 'touch unsure' } },
      { expect: { results: ['nobody is there to ask'] }, text: 'Done.' },
    ]);
    const verdicts = auto(place, ['allow: a new file in the folder', 'deny: not wanted', 'I cannot tell.']);
    const args = ['-p', 'go', '--output-format', 'stream-json', '--verbose', ...verdicts, ...script];
    const { stdout, stderr, exitCode } = await runCommand({ place, args });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(['allowed', 'denied', 'unsure'].map((name) => made(place, name))).toEqual([true, false, false]);
    const lines = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
    expect(lines.filter(({ subtype }) => subtype === 'permission_denied')).toMatchObject([
      { tool_name: 'Bash', decision_reason_type: 'classifier', decision_reason: 'classifier: not wanted' },
      { tool_name: 'Bash', decision_reason_type: 'unattended' },
    ]);
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      result: 'Done.',
      permission_denials: [{ tool_input: { command: 'touch denied' } }, { tool_input: { command: 'touch unsure' } }],
    });
    const sessionId = lines.at(-1)?.session_id ?? '';
    const events = await storedEvents(place, sessionId);
    expect(events.filter(({ type }) => type === 'tool.classified')).toMatchObject([
      { decision: 'allow' },
      { decision: 'deny' },
      { decision: 'ask' },
    ]);
  });

  test('on a terminal asks what the classifier leaves, with its reason', async () => {
    using place = createPlace();
    const script = writeScript(place, [
      { call: 'Bash', input: { command: 'touch allowed' } },
      { call: 'Bash', input: { command: 'touch asked' } },
      { text: 'Both made.' },
    ]);
    await using terminal = openTerminal({
      place,
      args: [...auto(place, ['allow: fine', 'ask: who knows']), ...script],
    });
    await terminal.waitFor('> ');
    terminal.type('go\r');
    await terminal.waitFor('? Bash touch asked');
    await terminal.waitFor('classifier: who knows');
    await terminal.waitFor('n [reason]: ');
    expect([made(place, 'allowed'), made(place, 'asked')]).toEqual([true, false]);
    terminal.type('y\r');
    await terminal.waitFor('Both made.');
    expect(made(place, 'asked')).toBe(true);
  });
});
