import type { ModelInput } from '../model/model.ts';

/** What one request may hold, every figure known. */
export interface RequestLimits {
  /** Media types. */
  readonly images: readonly string[];
  /** Media types; undefined leaves it to the adapter, which names what its model does not take. */
  readonly documents: readonly string[] | undefined;
  readonly audio: readonly string[] | undefined;
  readonly maxImages: number;
  /** Base64 characters of one image. */
  readonly maxImageCharacters: number;
  /** Pixels of an image's longer edge. */
  readonly maxImageEdge: number;
  readonly animatedImages: boolean;
  /** A stricter edge once a request has more images than that. */
  readonly manyImages: { readonly above: number; readonly maxImageEdge: number };
  readonly maxDocumentCharacters: number;
  readonly maxDocumentPages: number;
  /** Characters of all content together, as JSON text in UTF-8 is at least that long. */
  readonly maxRequestCharacters: number;
}

export const imageMediaTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The smallest figures among the providers with an adapter, so that a model that says nothing can be any of theirs. */
const unknownModel: RequestLimits = {
  images: imageMediaTypes,
  documents: undefined,
  audio: undefined,
  maxImages: 100,
  maxImageCharacters: 10_000_000,
  maxImageEdge: 8000,
  animatedImages: true,
  manyImages: { above: 20, maxImageEdge: 2000 },
  maxDocumentCharacters: 24_000_000,
  maxDocumentPages: 100,
  maxRequestCharacters: 30_000_000,
};

const noStricterEdge = { above: Infinity, maxImageEdge: Infinity };

export function requestLimits(input: ModelInput | undefined): RequestLimits {
  if (input === undefined) return unknownModel;
  return { ...unknownModel, documents: [], audio: [], manyImages: noStricterEdge, ...input };
}

/** IDs of calls that every provider takes. */
export const wireIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Names of tools that every provider takes. */
export const toolNamePattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
