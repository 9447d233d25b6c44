import type { ContentBlock } from '@rondo/protocol';
import type { ToolResult } from '../tool/tool.ts';

/** What a tool gave, as content blocks. */
export function contentOf(content: ToolResult['content']): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
