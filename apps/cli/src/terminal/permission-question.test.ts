import type { CanUseTool, PermissionUpdate } from '@rondo/sdk';
import { expect, test } from 'vitest';
import type { LineAnswer } from './keyboard.ts';
import { plain } from './painter.ts';
import { createPermissionQuestion } from './permission-question.ts';

const rule: PermissionUpdate = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
  behavior: 'allow',
  destination: 'localSettings',
};

function asking(...answers: readonly (string | LineAnswer)[]) {
  let screen = '';
  const left = [...answers];
  const ask = createPermissionQuestion({
    keyboard: {
      async readLine({ prompt }) {
        screen += prompt;
        const answer = left.shift();
        return typeof answer === 'object' ? answer : { type: 'line', text: answer ?? 'n' };
      },
    },
    write: (text) => {
      screen += text;
    },
    paint: plain,
    cwd: '/project',
    width: () => 80,
  });
  const call = (
    name = 'Bash',
    input: Record<string, unknown> = { command: 'npm test' },
    more: Partial<Parameters<CanUseTool>[2]> = {},
  ) =>
    ask(name, input, {
      signal: new AbortController().signal,
      toolUseID: 'call',
      requestId: 'question',
      suggestions: [rule],
      ...more,
    });
  return { call, screen: () => screen, left };
}

test.each(['y', 'Y', ' yes '])('%j allows this call, unchanged', async (answer) => {
  expect(await asking(answer).call()).toEqual({ behavior: 'allow', updatedInput: { command: 'npm test' } });
});

test('a allows what the question showed, for the session and not for a file', async () => {
  const asked = asking('a');
  expect(await asked.call()).toEqual({
    behavior: 'allow',
    updatedInput: { command: 'npm test' },
    updatedPermissions: [{ ...rule, destination: 'session' }],
  });
  expect(asked.screen()).toContain('a for the session (Bash(npm test))');
});

test('n denies, and what follows is the reason', async () => {
  expect(await asking('n').call()).toEqual({ behavior: 'deny', message: 'The user does not allow this.' });
  expect(await asking('n, use pnpm').call()).toEqual({
    behavior: 'deny',
    message: 'The user does not allow this: use pnpm',
  });
});

test('what is no answer is asked again, and never consent', async () => {
  const asked = asking('', 'yellow', 'yes please', 'ok', 'y n', 'n');
  expect(await asked.call()).toMatchObject({ behavior: 'deny' });
  expect(asked.left).toEqual([]);
});

test('without a suggestion there is no answer for the session', async () => {
  const asked = asking('a', 'n');
  expect(await asked.call('Bash', { command: 'x' }, { suggestions: [] })).toMatchObject({ behavior: 'deny' });
  expect(asked.screen()).not.toContain('for the session');
});

test.each(['interrupt', 'end'] as const)('%s denies and stops the turn', async (type) => {
  expect(await asking({ type }).call()).toMatchObject({ behavior: 'deny', interrupt: true });
});

test('a question that is withdrawn denies', async () => {
  const controller = new AbortController();
  controller.abort();
  expect(await asking('y').call('Bash', {}, { signal: controller.signal })).toMatchObject({ behavior: 'deny' });
});

test('what will run is shown whole, and cannot rewrite the screen', async () => {
  const command = `${'x\n'.repeat(50)}rm -rf ~ \u001b[1A\u001b[2K`;
  const asked = asking('n');
  await asked.call('Bash', { command });
  expect(asked.screen()).toContain('    rm -rf ~ ␛[1A␛[2K\n');
  expect(asked.screen()).not.toContain('\u001b');
});

test('an edit is shown as its change, a file outside by its whole path', async () => {
  const asked = asking('n');
  await asked.call(
    'Edit',
    { file_path: '/etc/hosts', old_string: 'a\nb', new_string: 'a\nc' },
    { blockedPath: '/etc/hosts' },
  );
  expect(asked.screen()).toContain('Edit /etc/hosts\n    -b\n    +c\n');
  expect(asked.screen()).toContain('/etc/hosts is outside the folder');
});

test('calls that ask at once are asked one after the other', async () => {
  const asked = asking('y', 'n');
  const [first, second] = await Promise.all([
    asked.call('Bash', { command: 'one' }),
    asked.call('Bash', { command: 'two' }),
  ]);
  expect([first?.behavior, second?.behavior]).toEqual(['allow', 'deny']);
  expect(asked.screen().indexOf('n [reason]')).toBeLessThan(asked.screen().indexOf('Bash two'));
});
