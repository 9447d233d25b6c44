import { sniffImageMediaType } from '@rondo/protocol/values';
import {
  anything,
  anyText,
  byType,
  exact,
  listOf,
  matching,
  oneOf,
  orNull,
  wholeNumber,
  type Shape,
} from '../shape.ts';

/* The parts of messages and of calls' outputs, as the public reference has them. */

const breakpoint = exact({ mode: oneOf('explicit') }, { ttl: oneOf('30m', '12h') });

/** The API refuses a part of a text without a character. */
export const someText: Shape = (value, place) =>
  typeof value === 'string' && value !== '' ? undefined : `${place}: must be a text with at least one character`;

const webUrl = /^https?:\/\/\S+$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const imageUrl: Shape = (value, place) => {
  if (typeof value !== 'string') return `${place}: must be a text`;
  if (webUrl.test(value)) return undefined;
  const data = readData(value);
  if (data === undefined) return `Invalid '${place}'. Expected a valid URL, but got a value with an invalid format.`;
  const kind = sniffImageMediaType(data.bytes);
  if (kind === undefined || !data.mediaType.startsWith('image/'))
    return `${place}: the image data you provided does not represent a valid image: PNG, JPEG, GIF and WebP are`;
  return undefined;
};

const fileData: Shape = (value, place) => {
  const data = typeof value === 'string' ? readData(value) : undefined;
  if (data === undefined) return `${place}: must be a data URL in base64`;
  if (data.mediaType !== 'application/pdf') return undefined;
  return data.bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? undefined : `${place}: is no PDF`;
};

function readData(url: string): { readonly mediaType: string; readonly bytes: Buffer } | undefined {
  const found = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s.exec(url);
  const [, mediaType = '', data = ''] = found ?? [];
  if (found === null || !base64.test(data)) return undefined;
  return { mediaType, bytes: Buffer.from(data, 'base64') };
}

const inputImage: Shape = (value, place) =>
  exact(
    { type: oneOf('input_image') },
    {
      detail: orNull(oneOf('low', 'high', 'auto', 'original')),
      file_id: orNull(someText),
      image_url: orNull(imageUrl),
      prompt_cache_breakpoint: orNull(breakpoint),
    },
  )(value, place);

const inputFile: Shape = (value, place) =>
  exact(
    { type: oneOf('input_file') },
    {
      detail: oneOf('auto', 'low', 'high'),
      file_data: orNull(fileData),
      file_id: orNull(someText),
      file_url: orNull(matching(webUrl)),
      filename: orNull(someText),
      prompt_cache_breakpoint: orNull(breakpoint),
    },
  )(value, place) ?? fileSource(value, place);

function fileSource(value: unknown, place: string): string | undefined {
  const { file_data: data, file_id: id, file_url: url, filename } = value as Readonly<Record<string, unknown>>;
  if ([data, id, url].filter((source) => typeof source === 'string').length !== 1)
    return `${place}: must have exactly one of file_data, file_id and file_url`;
  return typeof data === 'string' && typeof filename !== 'string'
    ? `${place}.filename: is required beside file_data`
    : undefined;
}

/** What a user says, and what a call came to. */
export const inputParts: Shape = (value, place) =>
  listOf(
    byType({
      input_text: exact({ type: oneOf('input_text'), text: someText }, { prompt_cache_breakpoint: orNull(breakpoint) }),
      input_image: (part, at) => inputImage(part, at) ?? hasImage(part, at),
      input_file: inputFile,
    }),
  )(value, place) ?? notEmpty(value, place);

function hasImage(value: unknown, place: string): string | undefined {
  const { image_url: url, file_id: id } = value as Readonly<Record<string, unknown>>;
  return typeof url === 'string' || typeof id === 'string'
    ? undefined
    : `${place}: must have an image_url or a file_id`;
}

function notEmpty(value: unknown, place: string): string | undefined {
  return Array.isArray(value) && value.length === 0 ? `${place}: must not be empty` : undefined;
}

const annotation = byType({
  file_citation: exact({ type: anyText, file_id: someText, filename: anyText, index: wholeNumber() }),
  url_citation: exact({
    type: anyText,
    url: someText,
    title: anyText,
    start_index: wholeNumber(),
    end_index: wholeNumber(),
  }),
  container_file_citation: exact({
    type: anyText,
    container_id: someText,
    file_id: someText,
    filename: anyText,
    start_index: wholeNumber(),
    end_index: wholeNumber(),
  }),
  file_path: exact({ type: anyText, file_id: someText, index: wholeNumber() }),
});

/** What the model said. */
export const outputParts: Shape = (value, place) =>
  listOf(
    byType({
      output_text: exact(
        { type: anyText, text: someText, annotations: listOf(annotation) },
        { logprobs: listOf(anything) },
      ),
      refusal: exact({ type: anyText, refusal: someText }),
    }),
  )(value, place) ?? notEmpty(value, place);
