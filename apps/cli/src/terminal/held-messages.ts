import type { SDKMessage } from '@rondo/sdk';

/** Keeps what is shown and what is asked in order on one screen. */
export interface HeldMessages {
  /** Shows a message, or keeps it while something is held. */
  show(message: SDKMessage): void;
  /**
   * Resolves once the call of that ID has been shown. A question comes by another way than the messages and may be a
   * moment ahead of them; a question of an earlier turn has no message to wait for, so the wait is short.
   */
  shown(toolUseId: string): Promise<void>;
  /** From here on messages are kept, until it is disposed of. */
  hold(): Disposable;
}

const longestWaitMs = 250;

export function createHeldMessages(show: (message: SDKMessage) => void): HeldMessages {
  const calls = new Set<string>();
  const waiting = new Map<string, () => void>();
  const kept: SDKMessage[] = [];
  let holds = 0;

  function note(message: SDKMessage): void {
    if (message.type === 'result') calls.clear();
    if (message.type !== 'assistant') return;
    for (const block of message.message.content) {
      if (block.type !== 'tool_use') continue;
      calls.add(block.id);
      waiting.get(block.id)?.();
    }
  }

  return {
    show(message) {
      if (holds > 0) kept.push(message);
      else show(message);
      note(message);
    },
    async shown(toolUseId) {
      if (calls.has(toolUseId)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, longestWaitMs);
      waiting.set(toolUseId, resolve);
      await promise;
      clearTimeout(timer);
      waiting.delete(toolUseId);
    },
    hold() {
      holds += 1;
      return {
        [Symbol.dispose]() {
          holds -= 1;
          if (holds === 0) for (const message of kept.splice(0)) show(message);
        },
      };
    },
  };
}
