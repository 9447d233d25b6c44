import type { EncodedJson } from './encode-message.ts';

interface Joined {
  /** Nobody changes what is there: what comes is written behind it, also while it is being sent. */
  bytes: Buffer;
  used: number;
  readonly members: EncodedJson[];
}

const empty = Buffer.alloc(0);
const comma = 0x2c;
/** By the first message. Every request of a conversation begins with what the one before it began with. */
const conversations = new WeakMap<EncodedJson, Joined>();

/**
 * The bytes of messages in a row, a comma behind each. What a conversation has said is copied once and stays where it is,
 * so that a request takes memory for what is new in it. Do not write to what comes back.
 */
export function joinMessages(messages: readonly EncodedJson[]): Buffer {
  const [first] = messages;
  if (first === undefined) return empty;
  let joined = conversations.get(first);
  if (joined === undefined || joined.members.some((member, index) => member !== messages[index])) {
    joined = { bytes: empty, used: 0, members: [] };
    conversations.set(first, joined);
  }
  const added = messages.slice(joined.members.length);
  const needed = added.reduce((sum, { bytes }) => sum + bytes.length + 1, joined.used);
  if (needed > joined.bytes.length) {
    const grown = Buffer.allocUnsafeSlow(joined.used === 0 ? needed : needed * 2);
    joined.bytes.copy(grown, 0, 0, joined.used);
    joined.bytes = grown;
  }
  for (const member of added) {
    joined.bytes.set(member.bytes, joined.used);
    joined.used += member.bytes.length;
    joined.bytes[joined.used] = comma;
    joined.used += 1;
    joined.members.push(member);
  }
  return joined.bytes.subarray(0, joined.used);
}
