import { decodeFrame } from '../frame/decode-frame.ts';
import type { Frame } from '../frame/frame.ts';
import type { Channel } from './channel.ts';
import { createMemoryChannel } from './memory-channel.ts';

/**
 * A memory channel that sends what a wire would: each frame is written to JSON and read back by {@link decodeFrame},
 * and what arrives is a frozen copy. For tests that prove that nothing works in one process only.
 * `send` throws a TypeError that names the place when a frame would not arrive as it was sent: a function, a
 * symbol, an undefined member of an array, a date, a number that JSON does not have.
 */
export function createSerializingChannel(): [Channel, Channel] {
  const [first, second] = createMemoryChannel();
  return [serializing(first), serializing(second)];
}

function serializing(channel: Channel): Channel {
  return {
    send(frame) {
      const decoded = decodeFrame(JSON.stringify(frame));
      if (!decoded.ok) throw new TypeError(`not a frame: ${decoded.message}`);
      const difference = firstDifference(frame, decoded.frame, '');
      if (difference !== undefined) throw new TypeError(`the frame does not survive JSON at ${difference}`);
      channel.send(freezeDeep(decoded.frame));
    },
    frames: channel.frames,
    get signal() {
      return channel.signal;
    },
    closed: channel.closed,
    close: channel.close,
  };
}

/** Path of the first value that JSON changes. A member that is undefined is the same as one that is absent. */
function firstDifference(sent: unknown, arrived: unknown, path: string): string | undefined {
  if (typeof sent !== 'object' || sent === null) return sent === arrived ? undefined : path || '/';
  if (typeof arrived !== 'object' || arrived === null || Array.isArray(sent) !== Array.isArray(arrived))
    return path || '/';
  if (!Array.isArray(sent) && !isPlain(sent)) return path || '/';
  const keys = new Set([...Reflect.ownKeys(sent), ...Reflect.ownKeys(arrived)]);
  for (const key of keys) {
    const value: unknown = Reflect.get(sent, key);
    if (value === undefined && !Array.isArray(sent) && !Object.hasOwn(arrived, key)) continue;
    const difference = firstDifference(value, Reflect.get(arrived, key), `${path}/${String(key)}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function freezeDeep(frame: Frame): Frame {
  const open: unknown[] = [frame];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    open.push(...Object.values(value).filter((member) => typeof member === 'object' && member !== null));
    Object.freeze(value);
  }
  return frame;
}
