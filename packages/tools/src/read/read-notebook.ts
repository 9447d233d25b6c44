import type { ContentBlock, JsonObject, JsonValue } from '@rondo/protocol';
import { ToolError, type ToolResult } from '@rondo/runtime';

/** Most characters of one output that are shown. */
const outputLimit = 10_000;
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * The cells of a Jupyter notebook with their outputs.
 * @throws ToolError when the file is no notebook or has more text than `textLimit` characters.
 */
export function readNotebook(text: string, path: string, textLimit: number): ToolResult {
  const notebook = parseNotebook(text, path);
  const language = textAt(notebook['metadata'], 'language_info', 'name') ?? 'python';
  const cells = notebook['cells'].map((cell, index) => describeCell(cell, index, language));
  const content: ContentBlock[] = [];
  for (const { text, images } of cells) {
    const last = content.at(-1);
    if (last?.type === 'text') content[content.length - 1] = { type: 'text', text: `${last.text}\n${text}` };
    else content.push({ type: 'text', text });
    content.push(...images);
  }
  const shown = content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (shown > textLimit) {
    throw new ToolError(
      `${path} is a notebook with ${shown} characters of cells, more than the ${textLimit} that one Read shows. Read its JSON in pages with offset and limit.`,
    );
  }
  if (content.length === 0) content.push({ type: 'text', text: `${path} is a notebook without cells.` });
  return {
    content,
    structured: { type: 'notebook', file: { filePath: path, cells: cells.map(({ cell }) => cell) } },
  };
}

function parseNotebook(text: string, path: string): JsonObject & { readonly cells: readonly JsonValue[] } {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(`${path} is no notebook: its JSON is damaged (${reason}). Read it as text with offset: 1.`, {
      cause: error,
    });
  }
  const cells = isObject(value) ? value['cells'] : undefined;
  if (!isObject(value) || !isList(cells)) {
    throw new ToolError(`${path} is no notebook: it has no list of cells. Read it as text with offset: 1.`);
  }
  return { ...value, cells };
}

interface DescribedCell {
  readonly cell: JsonObject;
  readonly text: string;
  readonly images: readonly ContentBlock[];
}

function describeCell(cell: JsonValue, index: number, language: string): DescribedCell {
  const type = textAt(cell, 'cell_type') ?? 'unknown';
  const id = textAt(cell, 'id') ?? `cell-${index}`;
  const source = joined(at(cell, 'source'));
  const count = at(cell, 'execution_count');
  const outputs = at(cell, 'outputs');
  const described = isList(outputs) ? outputs.map(describeOutput) : [];
  const lines = [`[${index + 1}] ${type === 'code' ? `${language} code` : type} (id ${id})`, source];
  for (const { text } of described) if (text !== '') lines.push('Output:', text);
  return {
    text: `${lines.join('\n')}\n`,
    images: described.flatMap(({ image }) => image ?? []),
    cell: {
      cellType: type,
      cell_id: id,
      source,
      ...(type === 'code' ? { language } : {}),
      ...(typeof count === 'number' ? { execution_count: count } : {}),
      ...(described.length > 0 ? { outputs: described.map(({ output }) => output) } : {}),
    },
  };
}

function describeOutput(output: JsonValue): {
  readonly output: JsonObject;
  readonly text: string;
  readonly image?: ContentBlock;
} {
  const type = textAt(output, 'output_type') ?? 'unknown';
  const data = at(output, 'data');
  const trace = at(output, 'traceback');
  const written =
    type === 'error'
      ? `${textAt(output, 'ename') ?? 'Error'}: ${textAt(output, 'evalue') ?? ''}\n${isList(trace) ? trace.map((line) => joined(line)).join('\n') : ''}`
      : joined(at(output, 'text')) || joined(at(data, 'text/plain'));
  // Colours of a terminal.
  const plain = written.replace(/\u001b\[[0-9;]*m/g, '');
  const text =
    plain.length <= outputLimit
      ? plain
      : `${plain.slice(0, outputLimit)}\n[${plain.length - outputLimit} more characters]`;
  const mediaType = imageTypes.find((each) => typeof at(data, each) === 'string' || isList(at(data, each)));
  if (mediaType === undefined) return { output: { output_type: type, text }, text };
  const base64 = joined(at(data, mediaType)).replace(/\s/g, '');
  const image: ContentBlock = { type: 'image', uri: `data:${mediaType};base64,${base64}`, mediaType };
  return { output: { output_type: type, text, image: { image_data: base64, media_type: mediaType } }, text, image };
}

function joined(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return isList(value) ? value.filter((each) => typeof each === 'string').join('') : '';
}

function textAt(value: JsonValue | undefined, ...keys: readonly string[]): string | undefined {
  const found = keys.reduce<JsonValue | undefined>((inner, key) => at(inner, key), value);
  return typeof found === 'string' ? found : undefined;
}

function at(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
