import type { CompletedRecord, StandardSchema, TurnRecord } from '@rondo/protocol';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Session } from '../session.ts';
import { completed, ended, hostDouble } from '../testing/host-double.ts';
import { turnState, type InvalidOutput } from './turn-state.ts';

interface Verdict {
  readonly ok: boolean;
}

const verdict = schema<Verdict>((value) =>
  typeof value === 'object' && value !== null && 'ok' in value
    ? { value: { ok: Boolean(value.ok) } }
    : { issues: [{ message: 'is missing', path: ['ok'] }] },
);

function schema<Output>(validate: StandardSchema<Output>['~standard']['validate']): StandardSchema<Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

const saying = (text: string): TurnRecord => ({ ...(completed('t1', 's:2') as CompletedRecord), text });
const outputOf = (text: string, type?: StandardSchema<unknown>): unknown =>
  (turnState(saying(text), type) as { output?: unknown }).output;

describe('the output of a completed turn', () => {
  test('is its text, or what the output type makes of it', () => {
    expect(outputOf('{"ok":true}')).toBe('{"ok":true}');
    expect(outputOf('')).toBe('');
    expect(outputOf('{"ok":1,"more":2}', verdict)).toEqual({ ok: true });
    expect(outputOf(' ', verdict)).toBeNull();
  });

  test.each([
    ['no JSON', 'yes, it is', verdict, /no JSON/],
    ['another shape', '{"no":1}', verdict, /^ok: is missing$/],
    ['a schema that waits', '1', schema(() => Promise.resolve({ value: 1 })), /asynchronously/],
    [
      'a schema that throws',
      '1',
      schema(() => {
        throw new Error('broken');
      }),
      /threw: broken/,
    ],
  ])('that does not fit is a value: %s', (_what, text, type, error) => {
    expect(outputOf(text, type)).toEqual({
      type: 'invalidOutput',
      error: expect.stringMatching(error) as string,
      text,
    });
  });

  test('is the same object for the same record, and other records have none', () => {
    const record = saying('{"ok":true}');
    expect(turnState(record, verdict)).toBe(turnState(record, verdict));
    expect(turnState(record, undefined)).not.toBe(turnState(record, verdict));
    const running: TurnRecord = { type: 'running', sessionId: 's', turnId: 't', cursor: 's:1', text: '' };
    expect(turnState(running, verdict)).toBe(running);
  });
});

test('handles give their output type everywhere: reads, waits, iterations, and what onEvent hears', async () => {
  const host = hostDouble({}, { trusted: true });
  const session = host.client.session<Verdict>('s', { bindingId: 'b', outputType: verdict });
  expectTypeOf(session).toEqualTypeOf<Session<Verdict>>();
  host.records.set('t1', saying('{"ok":true}'));
  host.emit({ ...ended('t1', 's:1'), record: saying('{"ok":true}') });
  const turn = session.turn('t1');
  const heard: unknown[] = [];
  const state = await turn.result({ onEvent: (event) => void heard.push(event) });
  if (state.type !== 'completed') throw new Error(state.type);
  expectTypeOf(state.output).toEqualTypeOf<Verdict | InvalidOutput | null>();
  expect(state.output).toEqual({ ok: true });
  expect(await turn.get()).toMatchObject({ output: { ok: true } });
  expect(heard).toMatchObject([{ type: 'turn.ended', record: { output: { ok: true } } }]);
  for await (const event of turn.events()) expect(event).toMatchObject({ record: { output: { ok: true } } });
  for await (const event of session.events()) {
    expect(event).toMatchObject({ record: { output: { ok: true } } });
    break;
  }
  // A call's own comes before the handle's.
  expect(await turn.result({ outputType: schema(() => ({ value: 7 })) })).toMatchObject({ output: 7 });
  await expect(turn.result({ outputType: {} as never })).rejects.toBeInstanceOf(TypeError);
  await expect(session.run('x', { outputType: 1 as never })).rejects.toBeInstanceOf(TypeError);
});
