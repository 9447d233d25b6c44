import { ToolError, type ToolContext, type ToolResult } from '@rondo/runtime';
import { hashBytes, largestHashedFile, noteWritten, rememberFile, requireCurrent } from '../file/file-state.ts';
import { withFileLock } from '../file/file-lock.ts';
import { withLineFeeds } from '../file/line-break.ts';
import { locateFile, specialFileName, type LocatedFile } from '../file/locate-file.ts';
import { readLocated } from '../file/open-file.ts';
import { originalFileFields } from '../file/original-file.ts';
import { structuredPatch } from '../file/structured-patch.ts';
import { detectTextFormat, textIn } from '../file/text-encoding.ts';
import { writeFileWhole } from '../file/write-file.ts';
import type { WriteInput } from './write-input.ts';
import { contentBytes } from './content-bytes.ts';

/** Runs one Write. A file that already holds the content is left alone, so that a repeated call succeeds. */
export async function runWrite({ file_path, content }: WriteInput, context: ToolContext): Promise<ToolResult> {
  if (!content.isWellFormed())
    throw new ToolError('content holds half of a character (a lone surrogate); write it whole.');
  const { target } = await locateFile(file_path, context);
  return withFileLock(target, async () => {
    const located = await locateFile(file_path, context);
    const special = located.stats === undefined ? undefined : specialFileName(located.stats);
    if (special !== undefined) throw new ToolError(`${located.path} is ${special}; Write writes ordinary files only.`);
    return writeLocated(located, content, context);
  });
}

async function writeLocated(located: LocatedFile, content: string, context: ToolContext): Promise<ToolResult> {
  const { path, target, stats } = located;
  const before = stats === undefined || stats.size > largestHashedFile ? undefined : await readLocated(located);
  const format = before === undefined ? undefined : detectTextFormat(before);
  const original = before === undefined || format === undefined ? undefined : textIn(before, format);
  const { bytes, note } = contentBytes(content, format, original);
  if (before?.equals(bytes) !== true) {
    if (stats !== undefined) await requireCurrent(located, before, context);
    context.signal.throwIfAborted();
    await writeFileWhole(located, bytes);
  }
  const hash = hashBytes(bytes);
  noteWritten(context.sessionId, target, hash);

  const patch = original === undefined ? [] : await structuredPatch(withLineFeeds(original), withLineFeeds(content));
  return {
    content: [stats === undefined ? `Created ${path}.` : `Replaced the content of ${path}.`, ...note].join(' '),
    structured: {
      type: stats === undefined ? 'create' : 'update',
      filePath: path,
      content,
      structuredPatch: patch.map((hunk) => ({ ...hunk })),
      ...(original === undefined ? { originalFile: null } : originalFileFields(original)),
    },
    remembered: rememberFile(target, hash),
  };
}
