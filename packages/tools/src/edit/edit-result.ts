import type { ToolResult } from '@rondo/runtime';
import type { EditInput } from './edit-input.ts';
import { withLineFeeds } from '../file/line-break.ts';
import { originalFileFields } from '../file/original-file.ts';
import { structuredPatch } from '../file/structured-patch.ts';
import type { EditedBytes } from './edit-bytes.ts';

const mostLinesNamed = 10;

/** What an edit that was made gives back. */
export async function editResult(
  path: string,
  { old_string, new_string, replace_all }: EditInput,
  { before, after, lines }: Pick<EditedBytes, 'before' | 'after' | 'lines'>,
): Promise<ToolResult> {
  const patch = await structuredPatch(withLineFeeds(before), withLineFeeds(after));
  const named = lines.slice(0, mostLinesNamed).join(', ');
  const places = `line${lines.length === 1 ? '' : 's'} ${named}${lines.length > mostLinesNamed ? ', …' : ''}`;
  const times = lines.length === 1 ? 'one occurrence' : `${lines.length} occurrences`;
  return {
    content: old_string === '' ? `Created ${path}.` : `Replaced ${times} in ${path} (${places}).`,
    structured: {
      filePath: path,
      oldString: old_string,
      newString: new_string,
      ...originalFileFields(before),
      structuredPatch: patch.map((hunk) => ({ ...hunk })),
      userModified: false,
      replaceAll: replace_all,
    },
  };
}
