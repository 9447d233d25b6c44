/** RFC 4122's shape, as the second seed types it. */
export type UUID = `${string}-${string}-${string}-${string}-${string}`;

/** The namespace of every derived message identity. It never changes: stored programs refer to what it produced. */
export const MESSAGE_NAMESPACE: UUID = '8f5b4c1e-6f0a-5f4e-9c57-2d1b7a3e90d4';

/**
 * A UUID of version 5: the same name gives the same one, on every machine and for ever. Neutral and synchronous, since
 * a projection derives one a line.
 */
export function deriveUuid(name: string, namespace: UUID = MESSAGE_NAMESPACE): UUID {
  const seed = namespace === MESSAGE_NAMESPACE ? messageNamespaceBytes : namespaceBytes(namespace);
  const length = fillMessage(seed, name);
  const digest = sha1(length);
  const words = [digest[0] ?? 0, digest[1] ?? 0, digest[2] ?? 0, digest[3] ?? 0];
  const [a, b, c, d] = words.map((word) => (word >>> 0).toString(16).padStart(8, '0')) as [
    string,
    string,
    string,
    string,
  ];
  const version = `5${b.slice(5)}`;
  const variant = `${((Number.parseInt(c.charAt(0), 16) & 0x3) | 0x8).toString(16)}${c.slice(1, 4)}`;
  return `${a}-${b.slice(0, 4)}-${version}-${variant}-${c.slice(4)}${d}`;
}

/** The identity of one line of a message: its entry and the block's place in it. */
export function messageUuid(entryId: string, block: number | string): UUID {
  return deriveUuid(`${entryId}/${block}`);
}

/** True for eight, four, four, four and twelve hexadecimal digits, whatever the version. */
export function isUuid(value: unknown): value is UUID {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

const encoder = new TextEncoder();
const messageNamespaceBytes = namespaceBytes(MESSAGE_NAMESPACE);
const schedule = new Int32Array(80);
let buffer = new Uint8Array(256);

function namespaceBytes(namespace: UUID): Uint8Array {
  const digits = namespace.replaceAll('-', '');
  return Uint8Array.from({ length: 16 }, (_, index) => Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16));
}

/** Writes namespace and name with SHA-1's padding into the buffer; returns the padded length. */
function fillMessage(namespace: Uint8Array, name: string): number {
  const needed = 16 + name.length * 3 + 72;
  if (buffer.length < needed) buffer = new Uint8Array(needed * 2);
  buffer.set(namespace, 0);
  const end = 16 + writeName(name);
  const padded = (((end + 8) >> 6) + 1) << 6;
  buffer.fill(0, end, padded);
  buffer[end] = 0x80;
  const bits = end * 8;
  buffer[padded - 4] = bits >>> 24;
  buffer[padded - 3] = bits >>> 16;
  buffer[padded - 2] = bits >>> 8;
  buffer[padded - 1] = bits;
  return padded;
}

/** ASCII is written without the encoder, which costs more than the whole hash for a short name. */
function writeName(name: string): number {
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (code > 0x7f) return encoder.encodeInto(name, buffer.subarray(16)).written;
    buffer[16 + index] = code;
  }
  return name.length;
}

function sha1(length: number): readonly number[] {
  let h0 = 0x67452301;
  let h1 = 0xefcdab89 | 0;
  let h2 = 0x98badcfe | 0;
  let h3 = 0x10325476;
  let h4 = 0xc3d2e1f0 | 0;
  for (let offset = 0; offset < length; offset += 64) {
    fillSchedule(offset);
    let a = h0;
    let b = h1;
    let c = h2;
    let d = h3;
    let e = h4;
    for (let round = 0; round < 80; round++) {
      const word = schedule[round] ?? 0;
      const mixed = round < 20 ? ((b & c) | (~b & d)) + 0x5a827999 : mixLater(round, b, c, d);
      const next = (((a << 5) | (a >>> 27)) + mixed + e + word) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    h0 = (h0 + a) | 0;
    h1 = (h1 + b) | 0;
    h2 = (h2 + c) | 0;
    h3 = (h3 + d) | 0;
    h4 = (h4 + e) | 0;
  }
  return [h0, h1, h2, h3, h4];
}

function fillSchedule(offset: number): void {
  for (let index = 0; index < 16; index++) {
    const at = offset + index * 4;
    schedule[index] =
      ((buffer[at] ?? 0) << 24) | ((buffer[at + 1] ?? 0) << 16) | ((buffer[at + 2] ?? 0) << 8) | (buffer[at + 3] ?? 0);
  }
  for (let index = 16; index < 80; index++) {
    const word =
      (schedule[index - 3] ?? 0) ^
      (schedule[index - 8] ?? 0) ^
      (schedule[index - 14] ?? 0) ^
      (schedule[index - 16] ?? 0);
    schedule[index] = (word << 1) | (word >>> 31);
  }
}

function mixLater(round: number, b: number, c: number, d: number): number {
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}
