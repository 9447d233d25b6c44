import { hash } from 'node:crypto';
import { MESSAGE_NAMESPACE, type UUID } from '@rondo/protocol/values';

const namespace = Buffer.from(MESSAGE_NAMESPACE.replaceAll('-', ''), 'hex');

/** The namespace, and behind it the name that is hashed. Made longer by the first longer name. */
let hashed = Buffer.concat([namespace, Buffer.alloc(512)]);

/** The same as the protocol's `messageUuid`. */
export function messageUuid(entryId: string, block: number | string): UUID {
  return deriveUuid(`${entryId}/${block}`);
}

/**
 * The same as the protocol's `deriveUuid` in its own namespace, by Node's SHA-1: a session of few lines never runs long
 * enough for a hash in JavaScript to be compiled, and one costs a fifth of a millisecond until then.
 */
export function deriveUuid(name: string): UUID {
  const most = namespace.length + name.length * 3;
  if (most > hashed.length) {
    hashed = Buffer.alloc(2 * most);
    namespace.copy(hashed);
  }
  const end = namespace.length + hashed.write(name, namespace.length);
  const digest = hash('sha1', hashed.subarray(0, end), 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

/**
 * The UUID that is so many behind another one, counted in its last twelve digits: one hash names all pieces of a reply,
 * of which a long one has thousands.
 */
export function uuidBehind(first: UUID, count: number): UUID {
  const last = (Number.parseInt(first.slice(24), 16) + count) % 2 ** 48;
  return `${first.slice(0, 24)}${last.toString(16).padStart(12, '0')}` as UUID;
}
