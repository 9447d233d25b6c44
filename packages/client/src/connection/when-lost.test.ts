import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type WhenLost, whenLost } from './when-lost.ts';

const rows: Readonly<Record<WhenLost, string>> = {
  again: 'sent again: it reads',
  keyed: 'sent again under its idempotency key',
  named: 'sent again under the new session',
  unknown: 'rejects with `operation.outcome_unknown`',
};

test('the guide says of every method what its loss means', () => {
  const page = readFileSync(new URL('../../../../docs/guides/client.md', import.meta.url), 'utf8');
  const lines = page.split('\n');
  for (const [method, meaning] of Object.entries(whenLost)) {
    const named = lines.filter((line) => line.startsWith('| ') && line.includes(`\`${method}\``));
    expect(named.map((line) => line.slice(2, 2 + rows[meaning].length))).toEqual([rows[meaning]]);
  }
});
