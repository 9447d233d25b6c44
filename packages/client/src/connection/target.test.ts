import { expect, test } from 'vitest';
import { targetOf } from './target.ts';

test('every way to one host is one place, and a header’s token is not sent again with the greeting', () => {
  const places = ['ws://h:1', 'ws://h:1/ws', 'http://h:1', 'http://h:1/'].map((url) => targetOf(url, 't').place);
  expect(new Set(places)).toEqual(new Set(['host:h:1']));
  expect(targetOf(new URL('https://h/base/'), 't')).toMatchObject({ place: 'host:h/base', token: undefined });
  expect(targetOf('wss://h/base/ws', 't')).toMatchObject({ place: 'host:h/base', token: 't' });
});

test.each([
  ['ws://me:secret@h', /no secret/],
  ['http://h?token=secret', /no secret/],
  ['ftp://h', /ws:, wss:, http: or https:/],
  ['/var/run/rondo', /no address/],
])('%s is refused before anything is sent', (address, message) => {
  expect(() => targetOf(address, undefined)).toThrow(TypeError);
  expect(() => targetOf(address, undefined)).toThrow(message);
});
