import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ContentBlock } from '@rondo/protocol';
import type { ToolContext, ToolResult } from '@rondo/runtime';

/** More text than that is kept in a file, of which the model is told. */
const MOST_CHARACTERS = 100_000;
const SHOWN_CHARACTERS = 2000;

/**
 * The result with texts that a model can hold: what is longer stands whole in a file of the session, and the model reads its
 * beginning and where the rest is.
 */
export async function keepLongText(
  result: ToolResult,
  context: Pick<ToolContext, 'callId' | 'outputDirectory'>,
): Promise<ToolResult> {
  const { content } = result;
  if (typeof content === 'string') return result;
  const long = content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (long <= MOST_CHARACTERS) return result;
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const path = join(context.outputDirectory, 'tool-results', `${context.callId.replace(/[^\w-]/g, '_')}.txt`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
  const shown: ContentBlock = {
    type: 'text',
    text: `${wholeStart(text)}\n\n[${text.length} characters; all of it is in ${path}]`,
  };
  return { ...result, content: [shown, ...content.filter((block) => block.type !== 'text')] };
}

/** Never half of a character. */
function wholeStart(text: string): string {
  const cut = text.slice(0, SHOWN_CHARACTERS);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
