import { expect, test } from 'vitest';
import { readDataUri } from './data-uri.ts';

test.each([
  ['data:image/png;base64,AAAA', { mediaType: 'image/png', base64: 'AAAA' }],
  ['data:image/png;BASE64,AAAA', { mediaType: 'image/png', base64: 'AAAA' }],
  ['data:text/plain;charset=utf-8;base64,AA,A', { mediaType: 'text/plain', base64: 'AA,A' }],
  ['data:;base64,', { mediaType: undefined, base64: '' }],
  ['data:image/png,AAAA', undefined],
  ['data:text/plain;base64=no,AAAA', undefined],
  ['data:text/plain;base64;charset=utf-8,AAAA', undefined],
  ['data:image/png;base64', undefined],
  [`data:image/png;${'x'.repeat(200)};base64,AAAA`, undefined],
  ['https://example.org/data:image/png;base64,AAAA', undefined],
])('%s', (uri, read) => expect(readDataUri(uri)).toEqual(read));
