import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject } from '../dialect/json.ts';

/** Where a text of a reply was taken from, kept with the block: each citation as the API sent it. */
export function citationData(citations: readonly JsonValue[]): { readonly providerData?: JsonObject } {
  return citations.length === 0 ? {} : { providerData: { citations } };
}

/**
 * The citations of a block as the API takes them back: it names the file of a document in what it sends and refuses
 * the name in what it gets.
 */
export function readCitations(data: JsonObject | undefined): readonly JsonObject[] {
  const citations = data?.['citations'];
  if (!Array.isArray(citations)) return [];
  return (citations as readonly JsonValue[]).filter(isJsonObject).map(({ file_id: _fileId, ...citation }) => citation);
}

/** What the API says of a call's origin and wants back with it. */
export const callOriginFields = ['caller', 'toolset_name'] as const;

/** The origin of a call, kept with the block; a call that the model itself made has nothing to keep. */
export function callOriginData(raw: JsonObject): { readonly providerData?: JsonObject } {
  const data: Record<string, JsonValue> = {};
  for (const field of callOriginFields) {
    const value = raw[field];
    const isDirect = isJsonObject(value) && value['type'] === 'direct';
    if (value !== undefined && value !== null && !isDirect) data[field] = value;
  }
  return Object.keys(data).length === 0 ? {} : { providerData: data };
}
