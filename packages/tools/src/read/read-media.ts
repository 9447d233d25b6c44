import { pathToFileURL } from 'node:url';
import { readImageHeader } from '@rondo/protocol/values';
import { ToolError, type ToolResult } from '@rondo/runtime';
import type { ImageType } from './file-signature.ts';

/** What a content block of an image may hold; a test holds it equal to the protocol's bound. */
export const mostImageBase64 = 10_000_000;
/** Models refuse larger images. */
const mostImagePixels = 8000;
/** A request to a model is at most 32 MB, of which base64 takes a third more. */
export const largestPdf = 16 * 1024 * 1024;

/**
 * An image as a block that the model sees.
 * @param bytes all of them, or undefined when there are too many to be read.
 */
export function readImage(path: string, size: number, bytes: Buffer | undefined, mediaType: ImageType): ToolResult {
  if (bytes === undefined || Math.ceil(bytes.length / 3) * 4 > mostImageBase64) {
    throw new ToolError(
      `${path} is an image of ${size} bytes, models take at most ${Math.floor((mostImageBase64 / 4) * 3)}. Make a smaller copy and read that.`,
    );
  }
  const found = readImageHeader(bytes, mediaType);
  if (found === undefined)
    throw new ToolError(`${path} begins like an image (${mediaType}), but its header is damaged.`);
  const { width, height } = found;
  if (width > mostImagePixels || height > mostImagePixels) {
    throw new ToolError(
      `${path} is an image of ${width} x ${height} pixels, models take at most ${mostImagePixels} on a side. Make a smaller copy and read that.`,
    );
  }
  const base64 = bytes.toString('base64');
  const dimensions = { originalWidth: width, originalHeight: height, displayWidth: width, displayHeight: height };
  return {
    content: [{ type: 'image', uri: `data:${mediaType};base64,${base64}`, mediaType }],
    structured: { type: 'image', file: { base64, type: mediaType, originalSize: size, dimensions } },
  };
}

/** A whole PDF as a block that the model sees. Parts of one cannot be cut out here, so asking for pages is refused. */
export async function readPdf(
  path: string,
  size: number,
  pages: string | undefined,
  readAll: () => Promise<Buffer>,
): Promise<ToolResult> {
  const way = 'Its text can be had with Bash where pdftotext is installed: pdftotext -f FIRST -l LAST FILE -';
  if (pages !== undefined) {
    requirePageRange(pages);
    const whole = size <= largestPdf ? ' Leave pages out to read the whole document.' : '';
    throw new ToolError(`pages cannot be selected: Read hands a PDF over whole or not at all.${whole} ${way}`);
  }
  if (size > largestPdf) {
    throw new ToolError(
      `${path} is a PDF of ${size} bytes, more than the ${largestPdf} that can be handed over whole. ${way}`,
    );
  }
  const base64 = (await readAll()).toString('base64');
  return {
    content: [
      { type: 'text', text: `${path}, a PDF of ${size} bytes:` },
      { type: 'embedded_resource', uri: pathToFileURL(path).href, mediaType: 'application/pdf', blob: base64 },
    ],
    structured: { type: 'pdf', file: { filePath: path, base64, originalSize: size } },
  };
}

function requirePageRange(pages: string): void {
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(pages.trim()) ?? [];
  if (first === undefined || Number(first) < 1 || (last !== undefined && Number(last) < Number(first))) {
    throw new ToolError(
      `pages is ${JSON.stringify(pages)}; write one page or a range that rises, counted from 1: "3" or "1-5".`,
    );
  }
}
