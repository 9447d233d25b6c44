import { expect, test } from 'vitest';
import { escapeBeyondAscii } from './ascii-only.ts';

test('a program means the same in ASCII: texts, templates, patterns, names', async () => {
  const source = `const größe = '…✗🙂';
export const found = [größe, \`\${größe}→\u2028\`, /[–🙂]/u.test('–'), /^[–🙂]$/u.test('🙂'), /é/.test('é'), '\\\\…'];`;
  const code = escapeBeyondAscii(source, 'chunk.js');
  expect(code).toMatch(/^[\x20-\x7e\n]*$/);
  const program: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  expect(program).toMatchObject({ found: ['…✗🙂', '…✗🙂→\u2028', true, true, true, '\\…'] });
});

test.each(['/\\–/', 'String.raw`a–b`'])('%s is refused: its escape would be another text', (source) => {
  expect(() => escapeBeyondAscii(source, 'chunk.js')).toThrow('chunk.js has');
});
