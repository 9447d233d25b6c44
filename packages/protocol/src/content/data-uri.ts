/** What a `data:` URI holds. */
export interface DataUri {
  /** Undefined where the URI does not say it. */
  readonly mediaType: string | undefined;
  readonly base64: string;
}

/** A media type is short; what has no comma in this many characters need not be searched to its end for one. */
const longestHead = 200;

/** Reads a `data:` URI in base64; undefined for any other text. The base64 itself is not checked. */
export function readDataUri(uri: string): DataUri | undefined {
  if (!uri.startsWith('data:')) return undefined;
  const head = uri.slice('data:'.length, longestHead);
  const comma = head.indexOf(',');
  if (comma === -1) return undefined;
  const [mediaType, ...parameters] = head.slice(0, comma).split(';');
  if (parameters.at(-1)?.toLowerCase() !== 'base64') return undefined;
  return { mediaType: mediaType === '' ? undefined : mediaType, base64: uri.slice('data:'.length + comma + 1) };
}
