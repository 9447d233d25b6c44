/**
 * What providers take in one request. The smallest figures among those with an adapter, with a margin for what the
 * adapter adds, so that a session can move between models.
 */
export interface RequestLimits {
  readonly maxImages: number;
  /** Base64 characters of one image. */
  readonly maxImageCharacters: number;
  /** Characters of all content together, as JSON text in UTF-8 is at least that long. */
  readonly maxRequestCharacters: number;
}

export const defaultRequestLimits: RequestLimits = {
  maxImages: 100,
  maxImageCharacters: 10_000_000,
  maxRequestCharacters: 28_000_000,
};

/** Names and IDs that every provider takes. */
export const wireNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

export const imageMediaTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
