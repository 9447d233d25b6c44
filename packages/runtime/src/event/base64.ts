export { encodeBase64 } from '@rondo/protocol/values';

/** The bytes, or undefined when the text is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
