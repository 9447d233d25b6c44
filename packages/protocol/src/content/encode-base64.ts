/** What a platform may have of its own; each is a hundred times faster than what can be written here. */
interface Platform {
  readonly Buffer?: {
    from(memory: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
  };
}

/** Standard base64 with padding, on any runtime. */
export function encodeBase64(bytes: Uint8Array & { toBase64?(): string }): string {
  if (bytes.toBase64 !== undefined) return bytes.toBase64();
  const { Buffer } = globalThis as Platform;
  if (Buffer === undefined) return encodeByTable(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** For platforms with nothing better: `btoa` takes its bytes as a string and seconds for a large image. */
export function encodeByTable(bytes: Uint8Array): string {
  const codes = new TextEncoder().encode(alphabet);
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(0x3d);
  let end = 0;
  for (let start = 0; start < bytes.length; start += 3) {
    const rest = bytes.length - start;
    const group = ((bytes[start] ?? 0) << 16) | ((bytes[start + 1] ?? 0) << 8) | (bytes[start + 2] ?? 0);
    text[end] = codes[group >> 18] ?? 0;
    text[end + 1] = codes[(group >> 12) & 63] ?? 0;
    if (rest > 1) text[end + 2] = codes[(group >> 6) & 63] ?? 0;
    if (rest > 2) text[end + 3] = codes[group & 63] ?? 0;
    end += 4;
  }
  return new TextDecoder().decode(text);
}
