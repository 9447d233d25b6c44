import { RondoError } from '@rondo/protocol/values';

export interface BaseUrlOptions {
  readonly baseUrl: string;
  /** Where it can be set, for messages to people. */
  readonly source: string;
  /** One that would do. */
  readonly example: string;
}

/** The URL that is configured. Throws `input.invalid` for one that no request can go to, and never shows what it is. */
export function readBaseUrl({ baseUrl, source, example }: BaseUrlOptions): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RondoError('input.invalid', `${source} is no http or https URL; it should look like ${example}.`);
  }
  if (/%(?![0-9a-f]{2})/i.test(`${url.username}${url.password}`)) {
    throw new RondoError('input.invalid', `${source} has a % in its user name or password: write it as %25.`);
  }
  url.hash = '';
  return url;
}

/** The password that a URL carries, as it is written and as it is meant. */
export function passwordsOf({ password }: URL): readonly string[] {
  return password === '' ? [] : [...new Set([password, decodeURIComponent(password)])];
}

/** Throws where a header could not carry the key. Never shows what it is: most of it may be the key. */
export function checkKey(key: string, source: string): void {
  if (/^[\x21-\x7e]+$/.test(key)) return;
  throw new RondoError(
    'model.authentication_failed',
    `${source} holds a space, a line break or a character that no key has: copy the key again.`,
  );
}
