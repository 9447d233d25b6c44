import { RondoError } from '@rondo/protocol/values';
import { readVariable, type Environment } from '../environment.ts';

type Headers = Readonly<Record<string, string>>;

export const headersVariable = 'ANTHROPIC_CUSTOM_HEADERS';

/** What the transport decides by itself; a wrong one would break the connection. */
const transportHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const keyHeaders: readonly string[] = ['authorization', 'x-api-key'];

/** The headers of `ANTHROPIC_CUSTOM_HEADERS`: one a line, `Name: value`. */
export function headersFromEnvironment(env: Environment): Headers {
  const lines = (readVariable(env, headersVariable) ?? '').split(/\r\n|\n|\r/);
  return Object.fromEntries(
    lines.flatMap((line, index) => (line.trim() === '' ? [] : [readHeader(line, `line ${index + 1}`)])),
  );
}

/** Never shows the line: its value may be a key. */
function readHeader(line: string, place: string): readonly [string, string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const value = line.slice(colon + 1).trim();
  const problem = !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)
    ? 'is not of the form "Name: value"'
    : !/^[\t\x20-\x7e]*$/.test(value)
      ? `gives ${name} a value with characters that no header takes`
      : transportHeaders.has(name)
        ? `sets ${name}, which the connection sets by itself`
        : undefined;
  if (problem !== undefined)
    throw new RondoError('input.invalid', `${place} of ${headersVariable} ${problem}.`, { details: { place } });
  return [name, value];
}

/** Whether one of them brings the key, so that none is needed beside it. */
export function bringsKey(headers: Headers): boolean {
  return Object.keys(headers).some((name) => keyHeaders.includes(name.toLowerCase()));
}
