import { expect, test, vi } from 'vitest';
import { errorCodes } from './error-codes.ts';
import { isRondoError, RondoError } from './rondo-error.ts';

/** The module a second time, as a second installed copy would be. */
async function secondCopy() {
  vi.resetModules();
  return await import('./rondo-error.ts');
}

test('an error of one copy is known to the other, both ways', async () => {
  const other = await secondCopy();
  expect(other.RondoError).not.toBe(RondoError);
  const theirs = new other.RondoError('session.in_use', 'held');
  const ours = new RondoError('session.busy', 'not now');
  expect(theirs instanceof RondoError).toBe(false);
  expect(isRondoError(theirs)).toBe(true);
  expect(isRondoError(theirs, 'session.in_use')).toBe(true);
  expect(isRondoError(theirs, 'session.busy')).toBe(false);
  expect(other.isRondoError(ours, 'session.busy')).toBe(true);
});

test('what merely looks like one is none', () => {
  for (const value of [
    new Error('x'),
    { code: 'session.busy', message: 'x', retryable: true },
    null,
    undefined,
    'session.busy',
  ]) {
    expect(isRondoError(value)).toBe(false);
  }
});

test('an error survives the wire: code, message, details and retryable', () => {
  const error = new RondoError('model.rate_limited', 'slow down', {
    details: { status: 429, retryAfterMs: 10 },
    retryable: false,
  });
  const back = RondoError.fromJSON(JSON.parse(JSON.stringify(error)));
  expect(isRondoError(back, 'model.rate_limited')).toBe(true);
  expect(back.toJSON()).toEqual(error.toJSON());
  expect(back).toBeInstanceOf(Error);
});

test('a code that this version does not know is kept, and nothing is assumed of it', () => {
  const back = RondoError.fromJSON({ code: 'moon.full', message: 'wait', retryable: true });
  expect(back).toMatchObject({ code: 'moon.full', retryable: true, details: {} });
  expect(new RondoError<string>('moon.full', 'wait').retryable).toBe(false);
  expect(new RondoError<string>('toString', 'a name that objects have').retryable).toBe(false);
});

test('retryable is the table’s answer unless the caller knows better', () => {
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    expect(new RondoError(code, 'x').retryable).toBe(errorCodes[code].retryable);
    expect(code === 'internal' || /^[a-z]+\.[a-z_]+$/.test(code)).toBe(true);
  }
  expect(new RondoError('model.server_error', 'final', { retryable: false }).retryable).toBe(false);
});

test('the cause stays in the process', () => {
  const cause = new Error('secret');
  const error = new RondoError('internal', 'failed', { cause });
  expect(error.cause).toBe(cause);
  expect(JSON.stringify(error)).not.toContain('secret');
  expect('cause' in new RondoError('internal', 'failed')).toBe(false);
});
