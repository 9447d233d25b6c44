import type { JsonValue } from '@rondo/protocol';
import { isToolError, ToolError, type ToolContext, type ToolResult } from '@rondo/runtime';
import type { EditInput } from './edit-input.ts';
import { hashBytes, noteWritten, rememberFile, requireCurrent } from '../file/file-state.ts';
import { withFileLock } from '../file/file-lock.ts';
import { absentFileError, locateFile, specialFileName, type LocatedFile } from '../file/locate-file.ts';
import { readLocated } from '../file/open-file.ts';
import { writeFileWhole } from '../file/write-file.ts';
import { editBytes, type ByteChange, type EditedBytes } from './edit-bytes.ts';
import { editResult } from './edit-result.ts';

/** Larger files are left to other means: an edit holds the text several times. */
const largestEdited = 64 * 1024 * 1024;

/** Runs one Edit. Edits of one file by calls of one process follow each other. */
export async function runEdit(input: EditInput, context: ToolContext): Promise<ToolResult> {
  const { target } = await locateFile(input.file_path, context);
  return withFileLock(target, async () => {
    const located = await locateFile(input.file_path, context);
    const bytes = await readForEdit(located, input, context);
    // Before the text is looked for: in a file that changed, that it is not there would be the wrong reason.
    if (bytes !== undefined) await requireCurrent(located, bytes, context);
    const edited = applyEdit(located.path, bytes, input);
    context.signal.throwIfAborted();
    await writeFileWhole(located, edited.bytes);
    const hash = hashBytes(edited.bytes);
    noteWritten(context.sessionId, located.target, hash);
    return { ...(await editResult(located.path, input, edited)), remembered: rememberFile(located.target, hash) };
  });
}

/** What is kept of an edit before it is made. */
export interface PreparedEdit {
  readonly target: string;
  /** Hash of the file, null when there was none. */
  readonly before: string | null;
  readonly after: string;
  /** Place, replaced bytes in base64, length of the new ones; left out when they are too many. */
  readonly changes?: readonly (readonly [at: number, removed: string, added: number])[];
}

const mostPreparedBytes = 64 * 1024;

/** Null when the edit cannot be made anyway: then nothing can have happened. */
export async function prepareEdit(input: EditInput, context: ToolContext): Promise<JsonValue> {
  try {
    const located = await locateFile(input.file_path, context);
    const bytes = await readForEdit(located, input, context);
    const edited = applyEdit(located.path, bytes, input);
    const prepared: PreparedEdit = {
      target: located.target,
      before: bytes === undefined ? null : hashBytes(bytes),
      after: hashBytes(edited.bytes),
      ...preparedChanges(edited.changes),
    };
    return { ...prepared };
  } catch (error) {
    if (isToolError(error)) return null;
    throw error;
  }
}

function preparedChanges(changes: readonly ByteChange[]): Pick<PreparedEdit, 'changes'> {
  const bytes = changes.reduce((sum, { removed }) => sum + removed.length + 32, 0);
  if (bytes > mostPreparedBytes) return {};
  return { changes: changes.map(({ at, removed, added }) => [at, removed.toString('base64'), added.length] as const) };
}

/** What the file holds now; undefined when it is to be made. */
async function readForEdit(
  { path, target, stats }: LocatedFile,
  { old_string, new_string }: EditInput,
  context: ToolContext,
): Promise<Buffer | undefined> {
  if (old_string === new_string) {
    throw new ToolError('old_string and new_string are the same; there is nothing to change.');
  }
  if (!new_string.isWellFormed()) {
    throw new ToolError('new_string holds half of a character (a lone surrogate); write it whole.');
  }
  if (stats === undefined) {
    if (old_string === '') return undefined;
    throw await absentFileError(path, context);
  }
  const special = specialFileName(stats);
  if (special !== undefined) throw new ToolError(`${path} is ${special}; Edit changes ordinary files only.`);
  if (stats.size > largestEdited) {
    throw new ToolError(
      `${path} has ${stats.size} bytes, Edit takes files up to ${largestEdited}. Use Bash, e.g. sed, for it.`,
    );
  }
  return readLocated({ path, target });
}

function applyEdit(path: string, bytes: Buffer | undefined, input: EditInput): EditedBytes {
  const { old_string: oldString, new_string: newString, replace_all: replaceAll } = input;
  if (oldString !== '') return editBytes(path, bytes ?? Buffer.alloc(0), { oldString, newString, replaceAll });
  if (bytes === undefined || bytes.length === 0) return createdFile(newString);
  throw new ToolError(
    `old_string is empty, which makes a new file, but ${path} exists and is not empty. Give the text to replace, or use Write.`,
  );
}

function createdFile(text: string): EditedBytes {
  const bytes = Buffer.from(text);
  return { bytes, changes: [{ at: 0, removed: Buffer.alloc(0), added: bytes }], before: '', after: text, lines: [1] };
}
