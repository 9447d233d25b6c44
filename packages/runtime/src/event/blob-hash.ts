/** The name of these bytes among blobs: `sha256-` and 64 hexadecimal digits. */
export async function blobHash(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));
  let hash = 'sha256-';
  for (const byte of digest) hash += byte.toString(16).padStart(2, '0');
  return hash;
}

export function isBlobHash(text: string): boolean {
  return /^sha256-[0-9a-f]{64}$/.test(text);
}
