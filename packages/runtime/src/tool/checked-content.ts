/**
 * Nothing for words or content blocks, as people's own code gives them.
 * @throws TypeError for anything else, saying what stands where.
 */
export function checkContent(content: unknown): void {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) throw new TypeError(`${kindOf(content)} where words or content blocks belong`);
  for (const block of content as unknown[]) {
    const isBlock = typeof block === 'object' && block !== null && 'type' in block && typeof block.type === 'string';
    if (!isBlock || (block.type === 'text' && !('text' in block && typeof block.text === 'string')))
      throw new TypeError(`${kindOf(block)} where a content block belongs`);
  }
}

/** What a value is, in words for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
