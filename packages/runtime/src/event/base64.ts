/** Standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const stride = 0x8000;
  let binary = '';
  for (let start = 0; start < bytes.length; start += stride) {
    binary += String.fromCharCode(...bytes.subarray(start, start + stride));
  }
  return btoa(binary);
}

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
