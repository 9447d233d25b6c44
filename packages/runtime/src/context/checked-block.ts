import type { ContentBlock } from '@rondo/protocol';

/** A block as it may be sent, with what of it counts in a request, or why it may not. */
export type CheckedBlock =
  | {
      readonly block: ContentBlock;
      /** Pixels of an image's longer edge, where they are known. */
      readonly edge?: number;
      /** Of a document, where they are known. */
      readonly pages?: number;
    }
  | { readonly reason: string };

/** The name alone, as providers compare it: `image/PNG; q=1` is `image/png`. */
export function plainMediaType(mediaType: string | undefined): string {
  return (mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** What the model takes of a kind is not this. */
export function notTaken(kind: string, mediaType: string, taken: readonly string[]): string {
  if (taken.length === 0) return `this model takes no ${kind}`;
  return `this model takes no ${mediaType === '' ? `${kind} of an unknown type` : mediaType}, of ${kind} only ${taken.join(', ')}`;
}
