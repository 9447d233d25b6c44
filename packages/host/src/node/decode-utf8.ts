const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of the bytes, or undefined where they are none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
