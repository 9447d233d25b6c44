import fs, { type BigIntStats, type Stats } from 'node:fs';
import { isToolError, ToolError, type ToolContext, type ToolResult } from '@rondo/runtime';
import { hashBytes, largestHashedFile, rememberFile, stampOf } from '../file/file-state.ts';
import { absentFileError, locateFile, reasonOf, specialFileName } from '../file/locate-file.ts';
import { openLocated } from '../file/open-file.ts';
import { detectTextFormat, textIn } from '../file/text-encoding.ts';
import type { ReadInput } from './read-input.ts';
import { bufferSource, fileSource, type ByteSource } from './byte-source.ts';
import { readSignature } from './file-signature.ts';
import { createPositionCache, positionCache } from './position-cache.ts';
import { readImage, readPdf } from './read-media.ts';
import { readNotebook } from './read-notebook.ts';
import { readTextPage, wholeFileBytes } from './read-text-page.ts';

const firstPartBytes = 65_536;

/** An open file: all of its bytes when they are few, else its first part and a way to the rest. */
interface OpenedFile {
  readonly path: string;
  readonly size: number;
  readonly isWhole: boolean;
  readonly bytes: Buffer;
  readonly source: ByteSource;
  /** Changes when the content does. */
  readonly state: string;
}

/** Runs one Read. */
export async function runRead(input: ReadInput, context: ToolContext): Promise<ToolResult> {
  const { path, target, stats } = await locateFile(input.file_path, context);
  if (stats === undefined) throw await absentFileError(path, context);
  requireOrdinary(path, stats);
  const descriptor = openLocated({ path, target });
  try {
    const file = await readFirstPart(path, descriptor);
    const result = await readContent(file, input, context.signal);
    return { ...result, remembered: rememberFile(target, file.state) };
  } catch (error) {
    if (isToolError(error) || context.signal.aborted) throw error;
    throw new ToolError(`${path} could not be read: ${reasonOf(error)}.`, { cause: error });
  } finally {
    fs.closeSync(descriptor);
  }
}

async function readFirstPart(path: string, descriptor: number): Promise<OpenedFile> {
  const stats = fs.fstatSync(descriptor, { bigint: true });
  requireOrdinary(path, stats);
  const size = Number(stats.size);
  // Files of /proc say that they are empty, and some let a reader wait.
  const isSmall = size > 0 && size <= firstPartBytes;
  const source = fileSource(descriptor, isSmall);
  const wanted = size > largestHashedFile ? firstPartBytes : isSmall ? size + 1 : Math.max(size, firstPartBytes) + 1;
  const bytes = Buffer.from(await source.read(0, wanted));
  // It has grown meanwhile.
  if (isSmall && bytes.length === wanted) return readFirstPart(path, descriptor);
  if (bytes.length < wanted) {
    return { path, size: bytes.length, isWhole: true, bytes, source: bufferSource(bytes), state: hashBytes(bytes) };
  }
  return { path, size: Math.max(size, bytes.length), isWhole: false, bytes, source, state: stampOf(stats) };
}

async function readContent(file: OpenedFile, input: ReadInput, signal: AbortSignal): Promise<ToolResult> {
  const { path, size, isWhole, bytes, source } = file;
  if (bytes.length === 0) return emptyFile(path);
  const signature = readSignature(bytes);
  if (signature?.kind === 'pdf') return readPdf(path, size, input.pages, () => source.read(0, size));
  if (input.pages !== undefined) {
    throw new ToolError(`pages is for PDF files, ${path} is none. Use offset and limit for the lines of a text.`);
  }
  if (signature?.kind === 'image') return readImage(path, size, isWhole ? bytes : undefined, signature.mediaType);
  const format = detectTextFormat(bytes, isWhole);
  if (format === undefined || signature?.kind === 'binary') {
    const kind = signature === undefined ? '' : `, it looks like ${signature.name}`;
    throw new ToolError(
      `${path} is binary (${size} bytes${kind}). Read shows text, images, notebooks and PDFs; for others use Bash, e.g. file or xxd.`,
    );
  }
  const isNotebook = path.endsWith('.ipynb') && isWhole && input.offset === undefined && input.limit === undefined;
  if (isNotebook) return readNotebook(textIn(bytes, format), path, wholeFileBytes);
  const cache = isWhole ? createPositionCache() : positionCache(`${path}\0${file.state}`);
  return readTextPage({ path, size, format, bytes, source, cache }, input, signal);
}

function emptyFile(path: string): ToolResult {
  return {
    content: `[${path} exists and is empty.]`,
    structured: { type: 'text', file: { filePath: path, content: '', numLines: 0, startLine: 1, totalLines: 0 } },
  };
}

function requireOrdinary(path: string, stats: Stats | BigIntStats): void {
  const special = specialFileName(stats);
  if (special === undefined) return;
  const way = special === 'a folder' ? 'List it with Bash: ls.' : 'Read shows ordinary files only.';
  throw new ToolError(`${path} is ${special}. ${way}`);
}
