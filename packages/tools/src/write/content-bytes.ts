import { lineBreaksOf, withLineBreaks } from '../file/line-break.ts';
import { encodeText, encodingName, type TextFormat } from '../file/text-encoding.ts';

const mark = '\ufeff';

/**
 * The bytes that make the content of a file. Of the text that it replaces they keep the byte order mark, the encoding
 * where it has every character, and the line break where all lines have the same one and the content has only `\n`.
 * Where a character is missing the file becomes UTF-8, which the note says.
 */
export function contentBytes(
  content: string,
  format: TextFormat | undefined,
  original: string | undefined,
): { readonly bytes: Buffer; readonly note: readonly string[] } {
  const breaks = new Set(lineBreaksOf(original ?? ''));
  const [only] = breaks;
  const keepsBreak = breaks.size === 1 && only !== undefined && !content.includes('\r');
  const text = keepsBreak ? withLineBreaks(content, only) : content;
  if (format === undefined) return { bytes: Buffer.from(text), note: [] };

  const marked = format.markBytes > 0 && !text.startsWith(mark) ? `${mark}${text}` : text;
  const encoded = encodeText(marked, format.encoding);
  if ('bytes' in encoded) return { bytes: encoded.bytes, note: [] };
  const was = encodingName(format);
  return {
    bytes: Buffer.from(text),
    note: [`The file was ${was}, which has no ${JSON.stringify(encoded.missing)}: it is UTF-8 now.`],
  };
}
