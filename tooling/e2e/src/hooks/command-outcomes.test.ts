import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { resultOf } from '../harness/output-lines.ts';
import { runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

const said = (permissionDecision: string) =>
  `echo '${JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision,
      permissionDecisionReason: 'as the hook says',
    },
  })}'`;

/** All that a hook writes, with all ways in which it ends: where only a refusal counts, nothing else lets a call run. */
function everyCell() {
  const outputs = [
    ['nothing', ':', false, true],
    ['text', 'echo all is well', false, true],
    ['allow', said('allow'), true, true],
    ['deny', said('deny'), false, false],
    ['ask', said('ask'), false, false],
    ['text, then allow', `echo Using Node 24; ${said('allow')}`, false, true],
    ['text, then deny', `echo Using Node 24; ${said('deny')}`, false, false],
    ['invalid JSON', `echo '{"decision": "block'`, false, false],
    ['5 MB', 'head -c 5000000 /dev/zero', false, false],
  ] as const;
  const endings = ['exit 0', 'exit 1', 'exit 2', 'exit 127', 'kill -KILL $$', 'sleep 60'];
  return endings.flatMap((ending) =>
    outputs.map(([output, line, asked, allowed]) => {
      const isWell = ending === 'exit 0';
      return [`${output}, ${ending}`, `${line}; ${ending}`, isWell && asked, isWell && allowed] as const;
    }),
  );
}

/** What a hook's line does, and whether the call that it is about runs: unless a rule allows it, and where one does. */
const someCells = [
  ['nothing', ':', false, true],
  ['text', 'echo all is well', false, true],
  ['allow', said('allow'), true, true],
  ['deny', said('deny'), false, false],
  ['ask', said('ask'), false, false],
  ['text, then allow', `echo Using Node 24; ${said('allow')}`, false, true],
  ['text, then deny', `echo Using Node 24; ${said('deny')}`, false, false],
  ['invalid JSON', `echo '{"decision": "block'`, false, false],
  ['5 MB', 'head -c 5000000 /dev/zero', false, false],
  ['exit 1', `${said('allow')}; exit 1`, false, false],
  ['exit 2 without a reason', 'exit 2', false, false],
  ['exit 127', 'a-program-that-is-nowhere', false, false],
  ['a signal', `${said('allow')}; kill -KILL $$`, false, false],
  ['out of time', `${said('allow')}; sleep 60`, false, false],
] as const;

const isWhole = process.env['RONDO_EVERY_OUTCOME'] === '1';
const cells = isWhole ? everyCell() : someCells;

describe('issue 5, accept 4: the outcomes of a hook of the person’s settings, in rondo -p', () => {
  test.each([
    ['asked about, where nobody is', [] as readonly string[], 2],
    ['allowed by a rule', ['--allowedTools', 'Write'], 3],
  ] as const)('of calls that are %s', { timeout: isWhole ? 300_000 : 30_000 }, async (_, flags, column) => {
    const groups = cells.map(([label, line], n) => ({
      matcher: 'Write',
      hooks: [
        {
          type: 'command',
          command: line,
          timeout: label === 'out of time' || label.endsWith('sleep 60') ? 0.5 : 60,
          if: `Write(ran-${n})`,
        },
      ],
    }));
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ hooks: { PreToolUse: groups } }));
    const calls = cells.map((_cell, n) => ({ call: 'Write', input: { file_path: `ran-${n}`, content: 'x' } }));
    const steps = [...calls.slice(0, 7), { text: 'half' }, ...calls.slice(7), { text: 'done' }];
    const model = writeScript(place, steps, { unused: 'ignore' });
    const args = ['--output-format', 'json', ...flags];
    const begun = await runCommand({ place, args: ['-p', 'go', ...model, ...args] });
    expect([begun.exitCode, begun.stderr]).toEqual([0, '']);
    const goneOn = await runCommand({ place, args: ['--continue', '-p', 'go on', ...model, ...args] });
    expect([goneOn.exitCode, goneOn.stderr]).toEqual([0, '']);
    expect(resultOf(goneOn.stdout)).toMatchObject({ result: 'done', terminal_reason: 'completed' });
    const ran = cells.map(([label], n) => [label, existsSync(join(place.project, `ran-${n}`))]);
    expect(ran).toEqual(cells.map((cell) => [cell[0], cell[column]]));
  });

  test('defer ends the turn at the call, which is told', async () => {
    const hook = { type: 'command', command: said('defer') };
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
    const model = writeScript(place, [{ call: 'Write', input: { file_path: 'ran', content: 'x' } }]);
    const exit = await runCommand({ place, args: ['-p', 'go', ...model, '--output-format', 'json'] });
    expect(resultOf(exit.stdout)).toMatchObject({
      terminal_reason: 'tool_deferred',
      deferred_tool_use: { name: 'Write', input: { file_path: 'ran', content: 'x' } },
    });
    expect(existsSync(join(place.project, 'ran'))).toBe(false);
  });

  test('what is wrong with hooks is told on standard error, and the right ones run', async () => {
    const hooks = {
      PreToolUse: [
        { type: 'command', command: 'exit 2' },
        { matcher: 'a == b', hooks: [] },
      ],
      preToolUse: [{ hooks: [{ type: 'command', command: 'touch never' }] }],
    };
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ hooks }));
    const model = writeScript(place, [{ call: 'Write', input: { file_path: 'ran', content: 'x' } }, { text: 'done' }]);
    const { stderr } = await runCommand({ place, args: ['-p', 'go', ...model, '--allowedTools', 'Write'] });
    expect(stderr).toContain('hooks.PreToolUse[0] is read as a group of one hook');
    expect(stderr).toContain('hooks.PreToolUse[1].matcher makes hooks that never run');
    expect(stderr).toContain('hooks.preToolUse is no event; PreToolUse is');
    expect(existsSync(join(place.project, 'ran'))).toBe(false);
    expect(existsSync(join(place.project, 'never'))).toBe(false);
  });
});
