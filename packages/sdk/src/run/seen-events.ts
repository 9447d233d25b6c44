import type { StreamEvent } from '@rondo/protocol';

/** The same events, each shown to somebody else first. */
export function seenEvents(
  events: AsyncIterator<StreamEvent>,
  see: (event: StreamEvent) => void,
): AsyncIterator<StreamEvent> {
  return {
    async next() {
      const step = await events.next();
      if (step.done !== true) see(step.value);
      return step;
    },
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
  };
}
