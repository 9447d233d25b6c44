import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { harmless, openDebugLog } from './debug-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-debug-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('lines are whole, appended, without secrets, for the user alone', () => {
  const file = join(folder, 'debug.jsonl');
  for (const event of ['first', 'second']) {
    const log = openDebugLog(file, (text) => text.replaceAll('secret-value', '[redacted]'));
    log.write(event, { key: 'secret-value' });
    log.close();
  }
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toMatchObject([
    { event: 'first', details: { key: '[redacted]' } },
    { event: 'second', details: { key: '[redacted]' } },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an error keeps its code, its message and its cause', () => {
  const file = join(folder, 'debug.jsonl');
  const log = openDebugLog(file, (text) => text);
  log.write('failed', Object.assign(new Error('outer', { cause: new TypeError('inner') }), { code: 'x.y' }));
  log.close();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    details: { message: 'outer', code: 'x.y', cause: { name: 'TypeError', message: 'inner' } },
  });
});

test('a file that cannot be written is a wrong value', () => {
  expect(() => openDebugLog(join(folder, 'none', 'debug.jsonl'), String)).toThrow(
    /options\.debugFile: .* cannot be written/,
  );
});

test('what comes after the end goes nowhere, though the number of the file is another one’s by then', () => {
  const [file, other] = [join(folder, 'debug.jsonl'), join(folder, 'other')];
  const log = harmless(openDebugLog(file, String));
  log.write('first');
  log.close();
  const descriptor = openSync(other, 'w');
  log.write('late');
  log.close();
  closeSync(descriptor);
  expect(readFileSync(other, 'utf8')).toBe('');
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1);
});
