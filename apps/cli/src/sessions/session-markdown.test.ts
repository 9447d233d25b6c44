import type { SessionMessage } from '@rondo/sdk';
import { expect, test } from 'vitest';
import { sessionMarkdown } from './session-markdown.ts';

const session = { sessionId: 's1', summary: 'Two\nlines', lastModified: 0, createdAt: 0, cwd: '/work' };
const ids = { session_id: '0c6c3d0e-7f0b-4f43-8b6e-35a1a1b7c2d4', parent_tool_use_id: null, parent_agent_id: null };
const uuid = '0c6c3d0e-7f0b-4f43-8b6e-35a1a1b7c2d5';

test('what was said is under headings, results are code that nothing in them ends', async () => {
  const content = [{ type: 'tool_result', tool_use_id: 't1', content: 'a\n```\nb\n' }];
  const messages = [
    { type: 'user', uuid, ...ids, message: { role: 'user', content: 'Hello' } },
    { type: 'user', uuid, ...ids, message: { role: 'user', content } },
    { type: 'user', uuid, ...ids, message: 'no message' },
  ] satisfies SessionMessage[];
  expect((await Array.fromAsync(sessionMarkdown(session, messages))).join('')).toBe(
    [
      '# Two lines',
      '- Session: s1\n- Folder: /work\n- Started: 1970-01-01T00:00:00.000Z',
      '## User',
      'Hello',
      '## Result',
      '````\na\n```\nb\n````',
      '## Rondo',
      `A message that this version cannot read: ${uuid}\n`,
    ].join('\n\n'),
  );
});
