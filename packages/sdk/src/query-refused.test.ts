import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { query } from './query.ts';
import { collectMessages } from './testing/collect-messages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-refused-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what kept a session from being opened is told, and not that its script was not played', async () => {
  const script = join(folder, 'script.json');
  const options = { home: folder, cwd: folder, model: `scripted/${script}`, sessionId: crypto.randomUUID() };
  writeFileSync(script, JSON.stringify({ version: 1, unused: 'error', steps: [{ text: 'said' }] }));
  await collectMessages(query({ prompt: 'Go.', options }));
  await expect(collectMessages(query({ prompt: 'Again.', options }))).rejects.toMatchObject({ code: 'session.exists' });
});
