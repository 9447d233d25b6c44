import type { ContentBlock } from '@rondo/protocol';
import type { ModelMessage } from '../model/model.ts';
import type { ContextNotice } from './context-notice.ts';
import type { GoneBlock, HeavyContent } from './heavy-content.ts';
import type { OpenMessage } from './open-message.ts';
import { describeBlock, placeholder } from './placeholder.ts';

/** What was built until now: the finished messages and the one that is being gathered. */
export interface MessagesSoFar {
  readonly messages: ModelMessage[];
  readonly open: OpenMessage;
  readonly heavy: HeavyContent;
}

const nothing: readonly ContextNotice[] = [];

/** Replaces what has to go by texts that say so; what went, and why. */
export function makeRoom({ messages, open, heavy }: MessagesSoFar): readonly ContextNotice[] {
  const all = heavy.overflow(messages.length);
  if (all.length === 0) return nothing;
  const byMessage = new Map<number, Map<ContentBlock, GoneBlock>>();
  for (const gone of all) {
    const { message, block } = gone;
    byMessage.set(message, (byMessage.get(message) ?? new Map()).set(block, gone));
  }
  for (const [index, gone] of byMessage) {
    const replace = (block: ContentBlock): ContentBlock => {
      const reason = gone.get(block)?.reason;
      return reason === undefined ? block : placeholder(block, reason);
    };
    const message = messages[index];
    if (message?.role === 'user') messages[index] = replaceBlocks(message, replace);
    if (index < messages.length) continue;
    open.content.splice(0, Infinity, ...open.content.map(replace));
    for (const [call, result] of open.results)
      open.results.set(call, { ...result, content: result.content.map(replace) });
    open.built = undefined;
  }
  return all.map(({ place, block, reason }) => ({ ...place, what: describeBlock(block), reason }));
}

/** The message with some of its blocks replaced, those of its results included. */
function replaceBlocks(
  message: Extract<ModelMessage, { role: 'user' }>,
  replace: (block: ContentBlock) => ContentBlock,
): ModelMessage {
  return {
    role: 'user',
    content: message.content.map((block) =>
      block.type === 'tool_result' ? { ...block, content: block.content.map(replace) } : replace(block),
    ),
  };
}
