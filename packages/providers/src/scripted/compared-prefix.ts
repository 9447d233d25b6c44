import type { ModelMessage, ModelRequest } from '@rondo/runtime';

/**
 * Remembers what of a conversation was found to be the same. A message that is the same object again need not be looked
 * at again, so that comparing costs what is new.
 */
export interface ComparedPrefix {
  /** How many messages at the beginning are known to be the same. */
  length(recorded: readonly ModelMessage[], request: ModelRequest): number;
  keep(recorded: readonly ModelMessage[], request: ModelRequest): void;
}

export function createComparedPrefix(): ComparedPrefix {
  const kept = new Map<
    string,
    { readonly recorded: readonly ModelMessage[]; readonly asked: readonly ModelMessage[] }
  >();
  return {
    length(recorded, { sessionId = '', messages }) {
      const before = kept.get(sessionId);
      if (before === undefined) return 0;
      let length = 0;
      while (
        length < messages.length &&
        length < before.asked.length &&
        messages[length] === before.asked[length] &&
        recorded[length] === before.recorded[length]
      )
        length += 1;
      return length;
    },
    keep: (recorded, { sessionId = '', messages }) => void kept.set(sessionId, { recorded, asked: messages }),
  };
}
