/** Standard base64 with padding, on any runtime. */
export function encodeBase64(bytes: Uint8Array): string {
  const stride = 0x8000;
  let binary = '';
  for (let start = 0; start < bytes.length; start += stride) {
    binary += String.fromCharCode(...bytes.subarray(start, start + stride));
  }
  return btoa(binary);
}
