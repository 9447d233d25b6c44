import { expect, test, vi } from 'vitest';
import { allowApproval, denyApproval, isAnswer, plainAnswer, signInAnswer } from './answer.ts';

test('answers are frozen, branded values; copies and JSON of them are plain', () => {
  for (const answer of [allowApproval(), denyApproval({ message: 'no' }), signInAnswer({ connected: ['a'] })]) {
    expect(Object.isFrozen(answer)).toBe(true);
    expect(isAnswer(answer)).toBe(true);
    expect(isAnswer({ ...answer })).toBe(false);
    expect(isAnswer(JSON.parse(JSON.stringify(answer)))).toBe(false);
    expect(isAnswer(plainAnswer(answer))).toBe(false);
    expect(plainAnswer(answer)).toEqual({ ...answer });
  }
});

test('an answer of another copy of the package is known', async () => {
  vi.resetModules();
  const other = await import('./answer.ts');
  expect(other.isAnswer).not.toBe(isAnswer);
  expect(isAnswer(other.allowApproval())).toBe(true);
});

test('what is left out is not sent; an approval holds once unless said', () => {
  expect({ ...allowApproval() }).toEqual({ type: 'allow', scope: 'once' });
  expect({ ...denyApproval() }).toEqual({ type: 'deny' });
  expect({ ...denyApproval({ message: 'no', interrupt: true }) }).toEqual({
    type: 'deny',
    message: 'no',
    interrupt: true,
  });
  expect({ ...signInAnswer({ denied: ['a'] }) }).toEqual({ type: 'sign_in', connected: [], denied: ['a'] });
});

test('an approval keeps a copy of the input, and refuses what it cannot hold', () => {
  const updatedInput = { command: 'ls', flags: ['-l'] };
  const answer = allowApproval({ updatedInput });
  updatedInput.flags.push('-a');
  expect(answer.updatedInput).toEqual({ command: 'ls', flags: ['-l'] });
  expect(() => Reflect.apply(allowApproval, undefined, [{ scope: 'ever' }])).toThrow(TypeError);
  expect(() => Reflect.apply(allowApproval, undefined, [{ updatedInput: 'ls' }])).toThrow(TypeError);
});
