import { expect, test } from 'vitest';
import { sessionTable } from './list-sessions.ts';

const now = Date.UTC(2026, 10, 30, 12);
const session = (sessionId: string, minutesAgo: number, summary: string, cwd: string) => ({
  sessionId,
  lastModified: now - minutesAgo * 60_000,
  summary,
  cwd,
});

test('a line a session, within the width, its age and folder in short', () => {
  const table = sessionTable(
    [
      session('0123456789', 0, 'fix\nthe \u001b[2J test', '/home/me'),
      session('abcdefghij', 59, 'x'.repeat(200), `/home/me/${'deep/'.repeat(40)}project`),
      session('klmnopqrst', 60 * 47, 'older', '/'),
      session('uvwxyzabcd', 60 * 24 * 9, 'oldest', '/'),
    ],
    { width: 80, now },
  );
  const lines = table.trimEnd().split('\n');
  expect(lines.map((line) => line.length).filter((length) => length > 80)).toEqual([]);
  expect(lines[0]).toMatch(/^01234567 {2}now +fix the ␛\[2J test +\/home\/me$/);
  expect(lines[1]).toMatch(/^abcdefgh {2}59 min ago +x+… +….*\/project$/);
  expect(lines[2]).toContain('47 h ago');
  expect(lines[3]).toContain('9 days ago');
});
