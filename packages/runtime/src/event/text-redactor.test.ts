import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextRedactor, redactText, secretValues } from './text-redactor.ts';

function redactPieces(pieces: readonly string[], secrets: readonly string[]): string[] {
  const redactor = createTextRedactor(secrets);
  return [...pieces.map((piece) => redactor.push(piece)), redactor.end()];
}

test.each([
  [['the key is sk-12345678.'], ['the key is [redacted].', '']],
  [
    ['the key is sk-1', '2345678.'],
    ['the key is ', '[redacted].', ''],
  ],
  [
    ['s', 'k-1234567', '8'],
    ['', '', '[redacted]', ''],
  ],
  [
    ['sk-1', 'sk-12345678'],
    ['', 'sk-1[redacted]', ''],
  ],
  [
    ['a task', ' is done'],
    ['a ta', 'sk is done', ''],
  ],
  [['ends like sk-123'], ['ends like ', 'sk-123']],
])('%j is shown as %j', (pieces, shown) => {
  expect(redactPieces(pieces, ['sk-12345678'])).toEqual(shown);
});

test('however it is cut, what is shown is the text without its secrets', () => {
  const secrets = ['abababab', 'abcabcabd'];
  const letters = fc.array(fc.constantFrom('a', 'b', 'ab', 'abc', 'abd', 'abababab', 'abcabcabd', '.'), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(letters, (pieces) => {
      const shown = redactPieces(pieces, secrets).join('');
      for (const secret of secrets) expect(shown).not.toContain(secret);
      if (redactText(pieces.join(''), secrets) === pieces.join('')) expect(shown).toBe(pieces.join(''));
    }),
  );
});

test('short values are words, not secrets', () => {
  expect(secretValues(['short', 'long enough'])).toEqual(['long enough']);
  const nested = secretValues(['key-12345', 'key-12345-and-more']);
  expect(redactText('key-12345-and-more, key-12345', nested)).toBe('[redacted], [redacted]');
});
