import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gainedSince, lostSince, readBaseline, writeBaseline } from './baseline.ts';
import { checkTests } from './check-tests.ts';
import { type Manifest, readManifest, type Row } from './manifest.ts';
import { report, reportRows } from './report.ts';

const row = (id: string, transports: Row['transports']): Row => ({
  id,
  area: id.split('.')[0] ?? '',
  rule: 'r',
  observe: 'o',
  transports,
  grade: 'F',
});
const manifest: Manifest = {
  rows: [row('turn.get.now', 'all'), row('turn.id', 'n/a'), row('turn.a.b', 'local'), row('wait.c.d', 'all')],
  notOurs: [
    { id: 'turn.a.b', part: 'all of it', why: 'w' },
    { id: 'turn.id', part: 'a half', why: 'w' },
  ],
  mutations: [{ row: 'wait.c.d', file: 'x.ts', piece: 'a', becomes: 'b', test: 'x.test.ts' }],
};
const check = (...titles: string[][]): ReturnType<typeof checkTests> =>
  checkTests(
    manifest,
    titles.map((each) => ({ path: 'x.test.ts', line: 1, titles: each, skipped: false })),
  );

test('rows at the head count, with the wire of the describe around', () => {
  const { shown, problems } = check(
    ['turn.get.now, turn.id: both'],
    ['over memory, as JSON', 'turn.get.now'],
    ['over stdio', 'wait.c.d: waits'],
    ['over moonlight', 'wait.c.d'],
    ['turn.ended is an event: told'],
    ['turn by turn'],
  );
  expect(problems).toEqual([]);
  expect([...shown].map(([id, wires]) => [id, [...wires]])).toEqual([
    ['turn.get.now', ['memory']],
    ['turn.id', []],
    ['wait.c.d', ['stdio']],
  ]);
});

test.each([
  [['turn.gone'], /no row is called turn\.gone/],
  [['turn.id, idle: both'], /no row is called idle/],
  [['it reads turn.get.now late'], /turn\.get\.now must stand at the head/],
  [['turn.id: and turn.get.now'], /turn\.get\.now must stand at the head/],
  [['turn.id, turn.a.b', 'turn.get.now, wait.c.d'], /names 4 rows, at most 3/],
])('%j is told with its place', (titles, message) => {
  const { problems } = check(titles);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(message);
  expect(problems[0]).toMatch(/^x\.test\.ts:1: /);
});

test('a skipped test shows nothing, and must name rows that there are all the same', () => {
  const skipped = (title: string) => ({ path: 'x.test.ts', line: 1, titles: [title], skipped: true });
  const { shown, problems } = checkTests(manifest, [skipped('turn.id'), skipped('turn.gone')]);
  expect(shown.size).toBe(0);
  expect(problems).toHaveLength(1);
});

test('a row that was shown, or a wire of it, is lost when no test shows it any more', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-requirements-'));
  try {
    const path = join(folder, 'shown.json');
    expect(readBaseline(path)).toEqual({});
    const before = check(['over stdio', 'turn.get.now'], ['over memory', 'turn.get.now'], ['turn.id']).shown;
    writeBaseline(path, before);
    expect(readFileSync(path, 'utf8')).toBe('{\n  "turn.get.now": ["memory", "stdio"],\n  "turn.id": []\n}\n');
    const baseline = readBaseline(path);
    expect(lostSince(baseline, before)).toEqual([]);
    expect(gainedSince(baseline, before)).toBe(0);

    const now = check(['over memory', 'turn.get.now'], ['over WebSocket', 'turn.get.now'], ['wait.c.d']).shown;
    expect(lostSince(baseline, now)).toEqual([
      'turn.get.now is not shown over stdio any more',
      'turn.id is shown by no test any more',
    ]);
    expect(gainedSince(baseline, now)).toBe(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the table counts what is ours; a row of all wires is shown when each shows it', () => {
  const wires = ['memory', 'stdio', 'WebSocket', 'HTTP+SSE'];
  const { shown } = check(...wires.map((wire) => [`over ${wire}`, 'turn.get.now']), ['over memory', 'wait.c.d']);
  expect(
    report(manifest, shown)
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual([
    ['area', 'rows', 'shown', 'begun', 'not yet', 'on all wires', ...wires, 'mutated'],
    ['turn', '2', '1', '0', '1', '1', '1', '1', '1', '1', '0'],
    ['wait', '1', '0', '1', '0', '1', '1', '0', '0', '0', '1'],
    ['all', '3', '1', '1', '1', '2', '2', '1', '1', '1', '1'],
    [''],
  ]);
  expect(reportRows(manifest, shown)).toContain('begun    all    mutated  wait.c.d  memory\n');
  expect(reportRows(manifest, shown)).not.toContain('turn.a.b');
});

test('the manifest holds 341 rows, and one that is left out is a row', () => {
  const own = readManifest(join(import.meta.dirname, '..', 'manifest.json'));
  expect(own.rows).toHaveLength(341);
  expect(own.notOurs.map(({ id }) => id)).toEqual([
    'input.readBy.sandboxHook',
    'session.cancel.localReturnsWhenReleased',
    'input.depends.declaredClassOnce',
  ]);
});
