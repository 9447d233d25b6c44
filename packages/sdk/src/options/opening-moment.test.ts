import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMoment } from './opening-moment.ts';
import { sessionSettings } from './session-settings.ts';

test('what is looked at in a moment is looked at once, and anew behind it', () => {
  const moment = createMoment();
  let looks = 0;
  const look = (): number => (looks += 1);
  expect([moment.once('a', look), moment.once('a', look), moment.once('b', look)]).toEqual([1, 1, 2]);
  expect(moment.isOver()).toBe(false);
  moment.pass();
  expect(moment.isOver()).toBe(true);
  expect([moment.once('a', look), moment.once('a', look)]).toEqual([3, 4]);
});

test('what was not there is not looked for again', () => {
  const moment = createMoment();
  let looks = 0;
  const look = (): undefined => void (looks += 1);
  expect([moment.once('a', look), moment.once('a', look)]).toEqual([undefined, undefined]);
  expect(looks).toBe(1);
});

describe('the settings of sessions that open together', () => {
  let place = '';
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'rondo-moment-'));
    for (const name of ['home', 'project']) mkdirSync(join(place, name));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  const deny = (rule: string): void =>
    writeFileSync(join(place, 'home', 'settings.json'), JSON.stringify({ permissions: { deny: [rule] } }));
  const open = (moment: ReturnType<typeof createMoment>, notes: string[] = []) =>
    sessionSettings(
      {},
      {
        cwd: join(place, 'project'),
        home: join(place, 'home'),
        env: { HOME: place },
        note: (text) => notes.push(text),
        moment,
      },
    );
  const denied = ({ open: { current } }: Awaited<ReturnType<typeof open>>) =>
    current().layers.flatMap((layer) => layer.settings.permissions?.deny ?? []);

  test('are the same, and each session sees for itself what changes then', async () => {
    deny('Bash(curl:*)');
    const moment = createMoment();
    const [one, other] = await Promise.all([open(moment), open(moment)]);
    expect([denied(one), denied(other)]).toEqual([['Bash(curl:*)'], ['Bash(curl:*)']]);
    expect(one.counted).toBe(other.counted);
    deny('Bash(wget:*)');
    expect(await one.open.refresh()).toMatchObject([{ kind: 'changed' }]);
    expect([denied(one), denied(other)]).toEqual([['Bash(wget:*)'], ['Bash(curl:*)']]);
    expect(await other.open.refresh()).toMatchObject([{ kind: 'changed' }]);
    expect(denied(other)).toEqual(['Bash(wget:*)']);
  });

  test('one that changes its own changes no other', async () => {
    const moment = createMoment();
    const [one, other] = await Promise.all([open(moment), open(moment)]);
    await one.open.setFlag({ permissions: { deny: ['Read'] } });
    expect([denied(one), denied(other)]).toEqual([['Read'], []]);
  });

  test('of a session that opens behind the moment are read anew', async () => {
    deny('Bash(curl:*)');
    const moment = createMoment();
    const one = await open(moment);
    expect(one.isFresh()).toBe(true);
    deny('Bash(wget:*)');
    moment.pass();
    expect(one.isFresh()).toBe(false);
    expect(denied(await open(moment))).toEqual(['Bash(wget:*)']);
  });

  test('that are broken are refused to all', async () => {
    writeFileSync(join(place, 'home', 'settings.json'), '{"permissions": {"deny": [');
    const moment = createMoment();
    const outcomes = await Promise.allSettled([open(moment), open(moment)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('that a person should look at are told of to all', async () => {
    mkdirSync(join(place, 'project', '.rondo'));
    const own = { permissions: { allow: ['Bash(curl:*)'] } };
    writeFileSync(join(place, 'project', '.rondo', 'settings.json'), JSON.stringify(own));
    const moment = createMoment();
    const notes: [string[], string[]] = [[], []];
    await Promise.all([open(moment, notes[0]), open(moment, notes[1])]);
    expect(notes[0]).toEqual([expect.stringContaining('is not trusted')]);
    expect(notes[1]).toEqual(notes[0]);
  });
});
