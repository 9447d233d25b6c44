import { expect, it } from 'vitest';
import { nameOfKey, nameText, orderKey, pathBelow, pathPrefix, printableName } from './file-names.ts';

const bytesOf = (text: string) => Buffer.from(text).toString('latin1');

it('names become text, with escapes for bytes that are none', () => {
  expect(nameText('plain/a.ts')).toBe('plain/a.ts');
  expect(nameText(bytesOf('ü/你/👍'))).toBe('ü/你/👍');
  expect(nameText(`a\xff${bytesOf('ü')}\xe4\xbd`)).toBe('a\\xffü\\xe4\\xbd');
});

it('names are opened by their bytes', () => {
  expect(pathBelow('/ü', 'a')).toBe('/ü/a');
  expect(pathBelow('/ü', `\xff${bytesOf('é')}`)).toEqual(
    Buffer.concat([Buffer.from('/ü/'), Buffer.from([0xff]), Buffer.from('é')]),
  );
});

it('names do not break a line of a result', () => {
  expect(printableName('a\nb\tc\u001b[2K\u2028é')).toBe('a\\nb\\tc\\u001b[2K\\u2028é');
});

it('names are ordered folder after folder', () => {
  const names = ['a.ts', 'a/z', 'a-b', 'a/b/c', 'a', 'b'];
  const keys = names.map(orderKey).sort();
  expect(keys.map(nameOfKey)).toEqual(['a', 'a/b/c', 'a/z', 'a-b', 'a.ts', 'b']);
});

it('paths are written from the session folder on where they are in it', () => {
  expect(pathPrefix('/work', '/work')).toBe('');
  expect(pathPrefix('/work/src', '/work')).toBe('src/');
  expect(pathPrefix('/work/..src', '/work')).toBe('..src/');
  expect(pathPrefix('/workshop', '/work')).toBe('/workshop/');
  expect(pathPrefix('/', '/work')).toBe('/');
  expect(pathPrefix('/work', '/')).toBe('work/');
});
